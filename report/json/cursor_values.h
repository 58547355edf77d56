// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

#include "report/base/timestamp.h"

namespace commtap {

/// The reads that JsonCursor and DomCursor share. `Cursor` is the class that inherits; it has string(), integerIfAny()
/// and wrong(), which throws an error with the field and what was found there.
template <typename Cursor>
class CursorValues {
 public:
  template <typename T>
  T integer() const {
    const std::optional<T> number = self().template integerIfAny<T>();
    if (!number) {
      self().wrong(std::is_unsigned_v<T> ? "a count" : "an integer");
    }
    return *number;
  }

  /// Returns ns of CLOCK_REALTIME.
  uint64_t timestamp() const {
    const std::optional<uint64_t> time = parseTimestamp(self().string());
    if (!time) {
      self().wrong("a time");
    }
    return *time;
  }

 private:
  friend Cursor;
  CursorValues() = default;

  const Cursor& self() const {
    return static_cast<const Cursor&>(*this);
  }
};

} // namespace commtap
