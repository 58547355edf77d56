// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/doctor/linked_program.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string_view>

#include "tools/doctor/child_process.h"
#include "tools/doctor/command_check.h"
#include "tools/doctor/elf_file.h"

namespace commtap {

std::vector<std::string> librariesInList(const std::string& list) {
  constexpr std::string_view kArrow = " => ";
  std::vector<std::string> paths;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(kArrow);
    const size_t start = arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + kArrow.size();
    const size_t end = line.rfind(" (0x");
    if (start != std::string::npos && end != std::string::npos && start < end && line[start] == '/') {
      paths.push_back(line.substr(start, end - start));
    }
  }
  return paths;
}

std::vector<std::string> librariesAtStart(const std::string& path, Environment environment) {
  constexpr std::chrono::seconds kLinkLimit{60};
  const Result<ElfFile> program = ElfFile::open(path);
  // The variable below would not stop these: they would run.
  if (!program || program->interpreter().empty() || !whyNoPreload(path, environment).empty()) {
    return {};
  }
  environment.set("LD_TRACE_LOADED_OBJECTS", "1");
  return librariesInList(runChild({path}, environment, kLinkLimit).out);
}

std::string libraryNamed(const std::vector<std::string>& paths, const std::string& name) {
  const auto found =
      std::find_if(paths.begin(), paths.end(), [&name](const std::string& path) { return path.ends_with("/" + name); });
  return found == paths.end() ? "" : *found;
}

} // namespace commtap
