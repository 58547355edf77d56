// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/process.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "report/base/duration.h"
#include "report/base/json_text.h"
#include "report/base/redaction.h"

namespace commtap {
namespace {

constexpr size_t kMaxCommandLine = 4096; ///< bytes kept of argv

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

uint64_t bootTimeNs() {
  std::istringstream lines(readFile("/proc/stat"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("btime ", 0) == 0) {
      return std::stoull(line.substr(6)) * kNsPerSecond;
    }
  }
  return 0;
}

uint64_t timeOfTicks(uint64_t ticks) {
  return bootTimeNs() + ticks * (kNsPerSecond / static_cast<uint64_t>(sysconf(_SC_CLK_TCK)));
}

/// Returns field `field`, 4 or above and a number, of /proc/PID/stat; nullopt if there is no such process.
std::optional<uint64_t> statNumber(uint64_t pid, int field) {
  const std::string stat = readFile("/proc/" + std::to_string(pid) + "/stat");
  // Field 2 is the name in parentheses, which may contain spaces and parentheses.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(stat.substr(name_end + 1));
  std::string text;
  fields >> text;
  if (text == "Z" || text == "X") {
    return std::nullopt;
  }
  for (int i = 4; i < field; ++i) {
    fields >> text;
  }
  uint64_t number = 0;
  return fields >> number ? std::optional<uint64_t>(number) : std::nullopt;
}

/// Returns true if the process was started with libcommtap in LD_PRELOAD; /proc/PID/environ keeps the initial
/// variables.
bool isPreloaded(uint64_t pid) {
  const std::string environment = '\0' + readFile("/proc/" + std::to_string(pid) + "/environ");
  const size_t at = environment.find(std::string("\0LD_PRELOAD=", 12));
  return at != std::string::npos && std::string(environment.c_str() + at + 1).find("libcommtap") != std::string::npos;
}

} // namespace

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
  std::optional<uint64_t> began;
  std::optional<uint64_t> pid = static_cast<uint64_t>(getppid());
  for (bool is_part = true; is_part && pid && *pid != 0; pid = statNumber(*pid, 4)) {
    is_part = isPreloaded(*pid);
    if (is_part || !began) {
      began = processStartTicks(*pid);
    }
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
  const std::string raw = readFile("/proc/self/cmdline").substr(0, kMaxCommandLine);
  std::vector<std::string> arguments;
  std::istringstream words(raw);
  for (std::string word; std::getline(words, word, '\0');) {
    arguments.push_back(word);
  }
  return stringsToJson(withoutSecrets(std::move(arguments)));
}

uint64_t wallClockNs() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

} // namespace commtap
