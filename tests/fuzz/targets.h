// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace commtap {

// What a fuzzer calls with bytes of its own, and the unit tests with those that are kept in tests/fuzz/corpus. Each
// aborts on what must not be; the sanitizers do the rest.

/// Reads the bytes as a ledger. What is read can be written as JSON, and is read from there again.
void fuzzLedger(std::span<const uint8_t> bytes);

/// Reads the bytes as each JSON document that the tools accept. What is read, written and read again is the same.
void fuzzJson(std::span<const uint8_t> bytes);

} // namespace commtap
