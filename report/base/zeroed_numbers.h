// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace commtap {

struct FreeMemory {
  void operator()(void* memory) const {
    std::free(memory);
  }
};
using ZeroedNumbers = std::unique_ptr<std::atomic<uint32_t>[], FreeMemory>;

/// Returns `count` zeroed numbers; nullptr if out of memory. Untouched pages of a large array take no physical memory.
inline ZeroedNumbers zeroedNumbers(size_t count) {
  void* memory = std::calloc(count, sizeof(std::atomic<uint32_t>));
  return ZeroedNumbers(static_cast<std::atomic<uint32_t>*>(memory));
}

} // namespace commtap
