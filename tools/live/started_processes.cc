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

std::optional<StartedProcess> processIn(const fs::path& process, const std::string& folder) {
  const std::string environment = textOf(process / "environ");
  const auto variable = [&environment](const char* name) { return initialVariable(environment, name).value_or(""); };
  if (!isPreloaded(environment) || variable("COMMTAP") == "0") {
    return std::nullopt;
  }
  const std::string pattern = variable("COMMTAP_OUT");
  const std::string out = commonFolder(pattern.empty() ? Options().out : pattern, variable("COMMTAP_RUN_ID"));
  std::error_code error;
  if (!isIn(fs::read_symlink(process / "cwd", error) / out, folder) || !hasTorch(process)) {
    return std::nullopt;
  }
  std::string name = textOf(process / "comm");
  name.resize(std::min(name.size(), name.find('\n')));
  return StartedProcess{.pid = std::stoull(process.filename()), .rank = variable("RANK"), .name = std::move(name)};
}

bool isNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
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
    return std::make_tuple(a.rank.empty(), a.pid) < std::make_tuple(b.rank.empty(), b.pid);
  });
  return found;
}

std::string startedText(const std::vector<StartedProcess>& processes, const std::string& folder) {
  if (processes.empty()) {
    return "";
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(processes.size(), kMostNamed); ++i) {
    const StartedProcess& process = processes[i];
    names.push_back(
        process.rank.empty() ? fmt::format("{} (pid {})", process.name, process.pid)
                             : fmt::format("rank {} ({}, pid {})", process.rank, process.name, process.pid));
  }
  if (processes.size() > kMostNamed) {
    names.push_back(fmt::format("{} more", processes.size() - kMostNamed));
  }
  return fmt::format(
      "nothing in {} yet from {}: a rank writes once it has joined a process group, so it may wait in the rendezvous",
      folder,
      fmt::join(names, ", "));
}

} // namespace commtap
