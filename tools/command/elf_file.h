// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/result.h"
#include "tools/run/environment.h"

namespace commtap {

/// A program or shared library, mapped for reading. Every offset in the file is checked: a damaged file has no symbols.
class ElfFile {
 public:
  /// Fails if the file cannot be read or is not an ELF file.
  static Result<ElfFile> open(const std::string& path);

  /// Returns whether the dynamic linker of this process could load a library into the program: same word size and
  /// processor.
  bool isOfThisMachine() const;

  /// Returns the path of the program's dynamic linker, "" for a static program and for a library.
  std::string interpreter() const;

  /// Returns the names of the libraries that are linked (DT_NEEDED).
  std::vector<std::string> needed() const;

  /// Calls visit(name, defined) for each dynamic symbol. `defined` is false for one that another library must define.
  void visitSymbols(const std::function<void(std::string_view, bool)>& visit) const;

 private:
  struct Mapping;
  struct Section;

  template <typename T>
  std::optional<T> read(uint64_t offset) const;
  std::string_view text(uint64_t offset) const;
  std::optional<Section> findSection(uint32_t type) const;

  std::shared_ptr<const Mapping> mapping_;
};

/// Returns whether a program has more rights than the user that starts it: setuid, setgid or capabilities.
bool isPrivileged(const std::string& path);

/// Returns why the dynamic linker would not preload a library into a program; "" if it would. Judges a script by its
/// interpreter.
std::string whyNoPreload(const std::string& path, const Environment& environment);

/// Returns the paths of the libraries that the dynamic linker would load into a program at its start. Only the dynamic
/// linker runs, as in ldd. Returns nothing for a script and for a program that is statically linked or privileged.
std::vector<std::string> librariesAtStart(const std::string& path, Environment environment);

/// Parses the dynamic linker's list: "\tlibm.so.6 => /lib/libm.so.6 (0x00007f...)".
std::vector<std::string> librariesInList(const std::string& list);

/// Returns the path whose file has this name, "" if there is none.
std::string libraryNamed(const std::vector<std::string>& paths, const std::string& name);

} // namespace commtap
