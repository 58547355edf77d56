// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "report/model/model.h"

namespace commtap {

/// The facts of a collective that must be equal on all ranks of its group. Refers to the call.
struct AgreedFacts {
  uint64_t bytes = 0; ///< 0 for a kind whose payload may differ between ranks
  Kind kind = Kind::kOther;
  std::optional<int64_t> root;
  std::string_view op;
  std::string_view dtype;
  std::string_view reduce_op;

  auto operator<=>(const AgreedFacts&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

inline AgreedFacts agreedFacts(const LastCollective& call) {
  return {hasEqualBytes(call.kind) ? call.bytes : 0, call.kind, call.root, call.op, call.dtype, call.reduce_op};
}

/// Returns whether two collectives, of one rank or of ranks that work alike, are the same one of the model.
inline bool areAlike(const LastCollective& a, const LastCollective& b) {
  return agreedFacts(a) == agreedFacts(b) && a.module == b.module && a.phase == b.phase;
}

} // namespace commtap
