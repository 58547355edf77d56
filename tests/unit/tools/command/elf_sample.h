// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commtap {

/// The parts of an ELF file that doctor reads. The file cannot run.
struct ElfSample {
  uint16_t machine = 0; ///< 0: that of this process
  std::string interpreter;
  std::vector<std::string> needed;
  std::vector<std::string> defined;
  std::vector<std::string> undefined;

  std::string bytes() const;
};

} // namespace commtap
