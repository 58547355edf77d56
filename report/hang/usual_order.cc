// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/usual_order.h"

namespace commtap {

bool areAlikeInGroup(const LastCollective& a, const LastCollective& b) {
  return a.group == b.group && a.kind == b.kind && a.op == b.op && a.module == b.module && a.phase == b.phase &&
         a.dtype == b.dtype && (!hasEqualBytes(a.kind) || a.bytes == b.bytes);
}

const LastCollective* usualAfter(std::span<const LastCollective> calls, size_t at) {
  constexpr size_t kSame = 2;
  for (size_t earlier = at; earlier-- > kSame;) {
    size_t same = 0;
    while (same < kSame && areAlikeInGroup(calls[earlier - 1 - same], calls[at - 1 - same])) {
      ++same;
    }
    if (same == kSame) {
      return &calls[earlier];
    }
  }
  return nullptr;
}

bool hasLeftOut(std::span<const LastCollective> calls, const LastCollective& missing) {
  if (calls.empty()) {
    return false;
  }
  const LastCollective* usual = usualAfter(calls, calls.size() - 1);
  if (usual == nullptr || !areAlikeInGroup(*usual, missing) || areAlikeInGroup(*usual, calls.back())) {
    return false;
  }
  const LastCollective* next = usual + 1;
  return next < &calls.back() && areAlikeInGroup(*next, calls.back());
}

} // namespace commtap
