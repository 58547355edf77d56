// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace commtap {

/// How a compiled getter finds the thread-local variable that it reads: address = callee(argument) + offset.
struct ThreadLocalAccess {
  const void* callee = nullptr; ///< code: __tls_get_addr's entry in the library's linkage table, or C++'s own wrapper
  void* argument = nullptr;     ///< of __tls_get_addr; the wrapper takes none
  int32_t offset = 0;           ///< bytes
};

/// What the first instructions of a getter do, as GCC makes them for x86-64; nullopt if they are any others. `code`
/// lies where it runs: its addresses are relative to itself.
std::optional<ThreadLocalAccess> decodeThreadLocalGetter(std::span<const uint8_t> code);

/// The calling thread's own variable, which `getter` reads, for as long as the thread lives. A library that comes late
/// calls the loader whenever it looks for one of its thread-local variables; this looks once. nullptr if that cannot
/// be told from the code; then `getter` must be called.
const void* threadLocalReadBy(const void* getter);

} // namespace commtap
