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

} // namespace commtap
