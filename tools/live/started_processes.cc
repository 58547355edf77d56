// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/started_processes.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/process.h"
#include "report/base/text_file.h"
#include "report/runs/output.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 8;

std::string textOf(const fs::path& path) {
  const Result<std::string> text = readTextFile(path);
  return text ? *text : "";
}

bool hasTorch(const fs::path& process) {
  return textOf(process / "maps").find("/libtorch") != std::string::npos;
}

/// Returns whether `path` is `folder` or in it. Neither needs to exist.
bool isIn(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path outer = fs::weakly_canonical(fs::absolute(folder), error);
  const fs::path up = inner.lexically_relative(outer);
  return !error && !up.empty() && *up.begin() != "..";
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

bool isLauncher(const std::string& name) {
  return name == "torchrun" || name == "pt_elastic"; // the name that torchrun gives itself
}

std::optional<StartedProcess> processIn(const fs::path& process, const std::string& folder) {
  const std::string environment = textOf(process / "environ");
  const auto variable = [&environment](const char* name) { return initialVariable(environment, name).value_or(""); };
  if (!isPreloaded(environment) || variable("COMMTAP") == "0") {
    return std::nullopt;
  }
  const std::string pattern = variable("COMMTAP_OUT");
  const std::string out = commonFolder(pattern.empty() ? Options().out : pattern, variable("COMMTAP_RUN_ID"));
  std::error_code error;
  if (!isIn(fs::read_symlink(process / "cwd", error) / out, folder)) {
    return std::nullopt;
  }
  std::string name = textOf(process / "comm");
  name.resize(std::min(name.size(), name.find('\n')));
  const std::string rank = variable("RANK");
  const bool is_rank = isNumber(rank) && (name.starts_with("python") || hasTorch(process));
  if (!is_rank && !isLauncher(name)) {
    return std::nullopt; // a program around the ranks
  }
  return StartedProcess{.pid = std::stoull(process.filename()), .rank = is_rank ? rank : "", .name = std::move(name)};
}

} // namespace

std::vector<StartedProcess> processesWritingTo(const std::string& folder, const std::string& proc) {
  std::vector<StartedProcess> found;
  std::error_code error;
  for (fs::directory_iterator entry(proc, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!isNumber(entry->path().filename())) {
      continue;
    }
    if (std::optional<StartedProcess> process = processIn(entry->path(), folder)) {
      found.push_back(std::move(*process));
    }
  }
  std::sort(found.begin(), found.end(), [](const StartedProcess& a, const StartedProcess& b) {
    return std::make_tuple(a.rank.size(), a.rank, a.pid) < std::make_tuple(b.rank.size(), b.rank, b.pid);
  });
  const auto is_same = [](const StartedProcess& a, const StartedProcess& b) { return a.rank == b.rank; };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  if (found.size() > 1 && found.front().rank.empty()) {
    found.erase(found.begin());
  }
  return found;
}

std::vector<StartedProcess> startedAfter(std::vector<StartedProcess> processes, uint64_t after_ns) {
  std::erase_if(processes, [after_ns](const StartedProcess& process) {
    return processStartTimeNs(process.pid).value_or(0) <= after_ns;
  });
  return processes;
}

std::string startedText(const std::vector<StartedProcess>& processes) {
  const StartedProcess& first = processes.front();
  if (first.rank.empty()) {
    return fmt::format("{} (pid {}) has started no rank here: it may wait for other hosts", first.name, first.pid);
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(processes.size(), kMostNamed); ++i) {
    const StartedProcess& process = processes[i];
    names.push_back(fmt::format("rank {} ({}, pid {})", process.rank, process.name, process.pid));
  }
  if (processes.size() > kMostNamed) {
    names.push_back(fmt::format("{} more", processes.size() - kMostNamed));
  }
  return fmt::format(
      "{} of the newest job {} joined no process group: {} in the rendezvous",
      fmt::join(names, ", "),
      processes.size() == 1 ? "has" : "have",
      processes.size() == 1 ? "it starts, or waits" : "they start, or wait");
}

} // namespace commtap
