// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/linked_program.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string_view>

#include "tools/command/child_process.h"
#include "tools/command/elf_file.h"
#include "tools/command/job_program.h"

namespace commtap {

bool isPrivileged(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 &&
         ((facts.st_mode & (S_ISUID | S_ISGID)) != 0 || getxattr(path.c_str(), "security.capability", nullptr, 0) > 0);
}

std::string whyNoPreload(const std::string& path, const Environment& environment) {
  const std::string interpreter = interpreterOf(path, environment);
  const std::string& file = interpreter.empty() ? path : interpreter;
  if (isPrivileged(file)) {
    return file + " is setuid, setgid or has capabilities: the dynamic linker ignores and removes LD_PRELOAD";
  }
  const Result<ElfFile> program = ElfFile::open(file);
  if (program && !program->isOfThisMachine()) {
    return file + " is for another processor or has 32 bits: libcommtap.so cannot be loaded into it";
  }
  if (program && program->interpreter().empty()) {
    return file + " is statically linked: no dynamic linker reads LD_PRELOAD";
  }
  return {};
}

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
