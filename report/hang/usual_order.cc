// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/usual_order.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "report/model/model.h"

namespace commtap {
namespace {

constexpr size_t kSame = 2;

using IsMissing = std::function<bool(const LastCollective&)>;

/// Returns whether the two calls before each of the indices are alike.
bool comeAfterTheSame(RankCalls calls, size_t a, size_t b) {
  for (size_t back = 1; back <= kSame; ++back) {
    if (!areAlikeInGroup(*calls[a - back], *calls[b - back])) {
      return false;
    }
  }
  return true;
}

/// Returns whether the call at the index is not the usual one, which `is_missing` finds, but the one after that.
bool isInPlaceOf(RankCalls calls, size_t at, const IsMissing& is_missing) {
  const std::optional<size_t> usual = usualAfter(calls, at);
  return usual && *usual + 1 < at && is_missing(*calls[*usual]) && !areAlikeInGroup(*calls[*usual], *calls[at]) &&
         areAlikeInGroup(*calls[*usual + 1], *calls[at]);
}

/// Returns whether a call that `is_missing` finds came each time before, at least so often, where the index is.
bool cameAlways(RankCalls calls, size_t at, const IsMissing& is_missing, size_t least) {
  size_t times = 0;
  for (size_t earlier = kSame; earlier < at; ++earlier) {
    if (comeAfterTheSame(calls, earlier, at) && (++times, !is_missing(*calls[earlier]))) {
      return false;
    }
  }
  return times >= least;
}

/// Returns whether fewer of the missing calls came before the last call than each time when that call was made before.
/// The calls before the first of those times may be known in part, so they count only if there is no other time.
bool hasFewer(RankCalls calls, const IsMissing& is_missing) {
  const auto isLast = [&calls](const LastCollective* call) { return areAlikeInGroup(*call, *calls.back()); };
  const auto begin = std::make_reverse_iterator(calls.end()) + 1;
  const auto end = std::make_reverse_iterator(calls.begin());
  const auto count = [&is_missing](const auto& from, const auto& to) {
    return std::count_if(from, to, [&is_missing](const LastCollective* call) { return is_missing(*call); });
  };
  std::vector<ptrdiff_t> missing;
  for (auto from = begin; from != end;) {
    const auto before = std::find_if(from, end, isLast);
    missing.push_back(count(from, before));
    from = before == end ? end : before + 1;
  }
  if (missing.size() > 2) {
    missing.pop_back();
  }
  return missing.size() > 1 && missing[0] < *std::min_element(missing.begin() + 1, missing.end());
}

} // namespace

std::vector<const LastCollective*> lastCalls(const Report& report) {
  std::vector<const LastCollective*> calls;
  calls.reserve(report.last.size());
  for (const LastCollective& call : report.last) {
    calls.push_back(&call);
  }
  return calls;
}

bool areAlikeInGroup(const LastCollective& a, const LastCollective& b) {
  return a.group == b.group && areAlike(a, b);
}

std::optional<size_t> usualAfter(RankCalls calls, size_t at) {
  for (size_t earlier = at; earlier-- > kSame;) {
    if (comeAfterTheSame(calls, earlier, at)) {
      return earlier;
    }
  }
  return std::nullopt;
}

std::optional<size_t> leftOutAt(RankCalls calls, const IsMissing& is_missing) {
  if (calls.empty()) {
    return std::nullopt;
  }
  const size_t last = calls.size() - 1;
  const auto isLeftOut = [&](size_t at, size_t least) {
    return isInPlaceOf(calls, at, is_missing) && cameAlways(calls, at, is_missing, least);
  };
  if (isLeftOut(last, 1) || hasFewer(calls, is_missing)) {
    return last;
  }
  for (size_t at = last; at-- > kSame;) {
    if (isLeftOut(at, 2)) {
      return at;
    }
  }
  return std::nullopt;
}

} // namespace commtap
