// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "report/base/file_descriptor.h"
#include "report/base/json_text.h"
#include "report/base/proc_files.h"
#include "report/base/redaction.h"
#include "report/base/timestamp.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxCommandLine = 4096; ///< bytes kept of argv

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

uint64_t nsOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

/// Does not use the boot time in /proc/stat, which is in seconds. A thread that waits for a processor between the two
/// readings sees a time that is too early, so the latest of several counts.
uint64_t bootTimeNs() {
  constexpr int kReadings = 5;
  uint64_t latest = 0;
  for (int reading = 0; reading < kReadings; ++reading) {
    const uint64_t now = nsOf(CLOCK_REALTIME);
    latest = std::max(latest, now - nsOf(CLOCK_BOOTTIME));
  }
  return latest;
}

/// Returns a time that is at most one tick too early, and never too late.
uint64_t timeOfTicks(uint64_t ticks) {
  return bootTimeNs() + ticks * (kNsPerSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK)));
}

} // namespace

std::string procText(uint64_t pid, const char* file, const std::string& proc) {
  return readFile(proc + "/" + std::to_string(pid) + "/" + file);
}

bool isShortNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<uint64_t> pidsIn(const std::string& proc) {
  std::vector<uint64_t> pids;
  std::error_code error;
  for (fs::directory_iterator entry(proc, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (isShortNumber(name)) {
      pids.push_back(std::stoull(name));
    }
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::vector<std::string> statFields(uint64_t pid, const std::string& proc) {
  const std::string stat = procText(pid, "stat", proc);
  // Field 2 is the name in parentheses, which may contain spaces and parentheses.
  const size_t name_end = stat.rfind(')');
  std::istringstream words(name_end == std::string::npos ? "" : stat.substr(name_end + 1));
  return {std::istream_iterator<std::string>(words), {}};
}

std::optional<uint64_t> statNumber(uint64_t pid, int field, const std::string& proc) {
  const std::vector<std::string> fields = statFields(pid, proc);
  const auto place = static_cast<size_t>(field - 3); // the state, the first, is field 3
  const bool has_ended = fields.empty() || fields[0] == "Z" || fields[0] == "X";
  return has_ended || place >= fields.size() ? std::nullopt
                                             : std::optional(std::strtoull(fields[place].c_str(), nullptr, 10));
}

std::vector<std::string> argumentsIn(const std::string& raw) {
  std::vector<std::string> arguments;
  std::istringstream words(raw.substr(0, std::min(kMaxCommandLine, raw.find_last_not_of('\0') + 1)));
  for (std::string word; std::getline(words, word, '\0');) {
    arguments.push_back(word);
  }
  return withoutSecrets(std::move(arguments));
}

std::optional<std::string> initialVariable(const std::string& environment, const std::string& name) {
  const std::string start = '\0' + name + '=';
  const std::string searched = '\0' + environment;
  const size_t at = searched.find(start);
  return at == std::string::npos ? std::nullopt : std::optional<std::string>(searched.c_str() + at + start.size());
}

bool isPreloaded(const std::string& environment) {
  return initialVariable(environment, "LD_PRELOAD").value_or("").find("libcommtap") != std::string::npos;
}

std::string bootId() {
  std::string id = readFile("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') {
    id.pop_back();
  }
  // A pid is unique only within its namespace, and containers share the boot ID of their machine.
  std::array<char, 64> name{};
  const ssize_t length = readlink("/proc/self/ns/pid", name.data(), name.size());
  if (!id.empty() && length > 0) {
    id += " " + std::string(name.data(), static_cast<size_t>(length));
  }
  return id;
}

std::optional<uint64_t> processStartTicks(uint64_t pid) {
  return statNumber(pid, 22);
}

std::optional<uint64_t> processStartTimeNs(uint64_t pid) {
  const std::optional<uint64_t> ticks = processStartTicks(pid);
  if (!ticks) {
    return std::nullopt;
  }
  return timeOfTicks(*ticks);
}

uint64_t runBeganNs() {
  constexpr const char* kElasticRun = "TORCHELASTIC_RUN_ID"; // set by torchrun's process for its ranks, not for itself
  const bool is_elastic = std::getenv(kElasticRun) != nullptr;
  std::optional<uint64_t> began = processStartTicks(static_cast<uint64_t>(getpid()));
  bool is_launcher = false;
  for (std::optional<uint64_t> pid = static_cast<uint64_t>(getppid()); !is_launcher && pid && *pid != 0;
       pid = statNumber(*pid, 4)) {
    const std::string environment = procText(*pid, "environ");
    if (!isPreloaded(environment)) {
      break;
    }
    is_launcher = is_elastic && !initialVariable(environment, kElasticRun);
    began = processStartTicks(*pid);
  }
  return began ? timeOfTicks(*began) : 0;
}

bool mayBeRunning(const ProcessIdentity& process) {
  if (process.boot_id != bootId()) {
    return true;
  }
  return processStartTicks(process.pid) == process.start_ticks;
}

std::string hostName() {
  utsname name{};
  return uname(&name) == 0 ? name.nodename : "unknown";
}

std::string commandLineJson() {
  return stringsToJson(argumentsIn(readFile("/proc/self/cmdline")));
}

std::string commandLineJson(const std::vector<std::string>& arguments) {
  const std::string own = readFile("/proc/self/cmdline");
  std::string changed = own.substr(0, own.find('\0'));
  for (const std::string& argument : arguments) {
    changed += '\0' + argument;
  }
  return stringsToJson(argumentsIn(changed));
}

uint64_t wallClockNs() {
  return nsOf(CLOCK_REALTIME);
}

namespace {

/// Returns the size of this process's mappings in bytes; 0 if /proc does not say.
uint64_t mappedBytes() {
  const FileDescriptor file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[64] = {};
  if (!file.isOpen() || read(file.get(), text, sizeof(text) - 1) <= 0) {
    return 0;
  }
  return std::strtoull(text, nullptr, 10) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

std::optional<uint64_t> addressSpaceLeft() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  const uint64_t mapped = mappedBytes();
  return mapped < limit.rlim_cur ? limit.rlim_cur - mapped : 0;
}

} // namespace commtap
