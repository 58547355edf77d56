// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_mismatch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/hang/message_match.h"
#include "report/hang/usual_order.h"
#include "report/job/job_summary.h"
#include "report/merge/first_difference.h"
#include "report/model/model.h"
#include "report/model/saturating.h"
#include "report/model/stretches.h"

namespace commtap {
namespace {

/// How many of the last collectives of each rank are compared if a group has many ranks.
constexpr size_t kMostCompared = 256;
constexpr size_t kManyRanks = 64;

/// Returns how two collectives with one number differ; kNone if they do not.
HangReason differenceOf(const LastCollective& a, const LastCollective& b) {
  if (a.kind == Kind::kOther || b.kind == Kind::kOther) {
    return HangReason::kNone;
  }
  const AgreedFacts one = agreedFacts(a);
  const AgreedFacts other = agreedFacts(b);
  return one == other                                   ? HangReason::kNone
         : one.op != other.op || one.kind != other.kind ? HangReason::kOp
         : one.dtype != other.dtype                     ? HangReason::kDtype
         : one.bytes != other.bytes                     ? HangReason::kSize
         : one.root != other.root                       ? HangReason::kRoot
                                                        : HangReason::kReduceOp;
}

bool areEqual(const LastCollective* a, const LastCollective* b) {
  return a != nullptr && b != nullptr && differenceOf(*a, *b) == HangReason::kNone;
}

bool areAlike(const LastCollective* a, const LastCollective* b) {
  return a != nullptr && b != nullptr && areAlike(*a, *b);
}

/// Returns whether `one` issued from number `sequence` on what `other` issued from the number after it on, in at least
/// two calls.
bool isOneBehind(const HangMember& one, const HangMember& other, uint64_t sequence) {
  uint64_t equal = 0;
  while (areEqual(one.call(sequence + equal), other.call(sequence + equal + 1))) {
    ++equal;
  }
  const bool has_both = one.call(sequence + equal) != nullptr && other.call(sequence + equal + 1) != nullptr;
  return equal > 1 && !has_both;
}

/// Returns whether the two made the same calls after number `sequence`, at least two: then none is left out.
bool agreeAfter(const HangMember& one, const HangMember& other, uint64_t sequence) {
  constexpr uint64_t kLeast = 2;
  uint64_t next = sequence + 1;
  while (areAlike(one.call(next), other.call(next))) {
    ++next;
  }
  return next > sequence + kLeast && (one.call(next) == nullptr || other.call(next) == nullptr);
}

/// Returns whether the two made the same two calls from number `sequence` on, each in its own order.
bool areSwapped(const HangMember& one, const HangMember& other, uint64_t sequence) {
  return areAlike(one.call(sequence), other.call(sequence + 1)) &&
         areAlike(one.call(sequence + 1), other.call(sequence));
}

/// Returns whether a rank of the group has made the call of the model before this number.
bool wasMadeBefore(const HangGroup& group, const LastCollective* call, uint64_t sequence) {
  return std::any_of(group.members.begin(), group.members.end(), [call, sequence](const HangMember& member) {
    return std::any_of(member.calls.begin(), member.calls.end(), [call, sequence](const LastCollective* each) {
      return each->sequence < sequence && areAlike(each, call);
    });
  });
}

/// Orders the sides by their number of ranks, and sets the cause: all sides but the one of most ranks, or all.
void judgeSides(Mismatch& mismatch) {
  std::vector<MismatchSide>& sides = mismatch.sides;
  std::stable_sort(sides.begin(), sides.end(), [](const MismatchSide& a, const MismatchSide& b) {
    return a.ranks.size() > b.ranks.size();
  });
  const auto ranks = std::accumulate(sides.begin(), sides.end(), size_t{0}, [](size_t sum, const MismatchSide& side) {
    return sum + side.ranks.size();
  });
  const bool has_most = sides[0].ranks.size() * 2 > ranks;
  for (size_t i = has_most ? 1 : 0; i < sides.size(); ++i) {
    mismatch.cause.insert(mismatch.cause.end(), sides[i].ranks.begin(), sides[i].ranks.end());
  }
  for (const MismatchSide& side : sides) {
    mismatch.at_ns = std::max(mismatch.at_ns, side.call->issued_at_ns);
  }
}

/// The two sides of a mismatch; `one` is not on the side with most ranks, if there is such a side.
struct TwoSides {
  const HangMember& other;
  const HangMember& one;
  bool has_most;
};

/// The side of two that left out a collective which the other one made; neither, if that is not known.
struct Shift {
  bool one_skipped = false;
  bool other_skipped = false;

  bool isKnown() const {
    return one_skipped != other_skipped;
  }
};

/// Returns the side that did not make a call which usually comes there, and made the call after it.
Shift usualShift(const TwoSides& two, uint64_t at) {
  const std::vector<const LastCollective*>& calls = two.one.calls;
  const auto place = static_cast<size_t>(std::find(calls.begin(), calls.end(), two.one.call(at)) - calls.begin());
  const std::optional<size_t> before = usualAfter(calls, place);
  if (!before || *before + 1 >= place) {
    return {};
  }
  const LastCollective* usual = calls[*before];
  const LastCollective* next = calls[*before + 1];
  return {
      areAlike(usual, two.other.call(at)) && areAlike(next, two.one.call(at)),
      areAlike(usual, two.one.call(at)) && areAlike(next, two.other.call(at))};
}

/// Returns whether `one` made from number `sequence` on, twice, what `other` made under the next number.
bool goesOnOneAhead(const HangMember& one, const HangMember& other, uint64_t sequence) {
  return areAlike(one.call(sequence), other.call(sequence + 1)) &&
         areAlike(one.call(sequence + 1), other.call(sequence + 2));
}

/// Sets the reason and the cause for a call that one side made and the other one did not. If both have as many
/// ranks, a call that no rank made before is too much, and one that ranks made before is missing on the other side.
void judgeShift(const TwoSides& two, bool one_skipped, Mismatch& mismatch) {
  const uint64_t at = mismatch.sequence;
  const std::vector<MismatchSide>& sides = mismatch.sides;
  if (two.has_most) {
    mismatch.reason = one_skipped ? HangReason::kSkipped : HangReason::kExtra;
    return;
  }
  const HangMember& maker = one_skipped ? two.other : two.one;
  const bool is_new = !wasMadeBefore(*mismatch.group, maker.call(at), at);
  const bool is_first_step = is_new && !wasMadeBefore(*mismatch.group, maker.call(at + 1), at);
  if (!is_first_step) {
    const size_t maker_side = one_skipped ? 0 : 1;
    mismatch.reason = is_new ? HangReason::kExtra : HangReason::kSkipped;
    mismatch.cause = sides[is_new ? maker_side : 1 - maker_side].ranks;
  }
}

TwoSides twoSides(const Mismatch& mismatch) {
  const std::vector<MismatchSide>& sides = mismatch.sides;
  return {
      *mismatch.group->memberOf(sides[0].ranks.front()),
      *mismatch.group->memberOf(sides[1].ranks.front()),
      sides[0].ranks.size() > sides[1].ranks.size()};
}

/// Finds out whether one of two sides left out a collective, or made one more, or two in another order: by what they
/// made later, or by what came after the same collectives before. One op of one module that differs in an argument is
/// what it seems, unless later calls show otherwise.
void findShift(Mismatch& mismatch) {
  if (mismatch.sides.size() != 2) {
    return;
  }
  const uint64_t at = mismatch.sequence;
  const TwoSides two = twoSides(mismatch);
  if (areSwapped(two.one, two.other, at)) {
    mismatch.reason = HangReason::kOrder;
    return;
  }
  const bool has_argument = mismatch.reason != HangReason::kOp;
  if (has_argument && agreeAfter(two.one, two.other, at)) {
    return;
  }
  Shift shift = {isOneBehind(two.one, two.other, at), isOneBehind(two.other, two.one, at)};
  if (!shift.isKnown() && !(has_argument && two.one.call(at)->module == two.other.call(at)->module)) {
    shift = usualShift(two, at);
    mismatch.is_proven = !shift.isKnown();
  }
  if (shift.isKnown()) {
    judgeShift(two, shift.one_skipped, mismatch);
  }
}

struct MadeCall {
  uint64_t sequence;
  const LastCollective* call;
};
using AreSame = bool (*)(const MadeCall&, const MadeCall&);

/// Returns the first collective before number `end` that ranks made differently; without a reason.
std::optional<Mismatch> firstBetween(const HangGroup& group, uint64_t end, AreSame are_same) {
  FirstDifference<MadeCall, AreSame> difference(are_same);
  const size_t most = group.members.size() > kManyRanks ? kMostCompared : SIZE_MAX;
  for (const HangMember& member : group.members) {
    const size_t skipped = member.calls.size() - std::min(member.calls.size(), most);
    std::vector<MadeCall> calls;
    for (size_t i = skipped; i < member.calls.size() && member.calls[i]->sequence < end; ++i) {
      if (member.calls[i]->kind != Kind::kOther) {
        calls.push_back({member.calls[i]->sequence, member.calls[i]});
      }
    }
    difference.add(member.rank, calls);
  }
  const auto sides = difference.sides();
  if (sides.empty()) {
    return std::nullopt;
  }
  Mismatch mismatch;
  mismatch.group = &group;
  mismatch.sequence = sides[0].call.sequence;
  std::set<int64_t> without; // an op of kind `other`, or not in the report
  for (const HangMember& member : group.members) {
    if (const LastCollective* call = member.call(mismatch.sequence); call == nullptr || call->kind == Kind::kOther) {
      without.insert(member.rank);
    }
  }
  for (const auto& side : sides) {
    mismatch.sides.push_back({side.ranks, side.call.call});
    std::erase_if(mismatch.sides.back().ranks, [&without](int64_t rank) { return without.contains(rank); });
  }
  judgeSides(mismatch);
  return mismatch;
}

/// Returns the call before number `end` with which one side began to be one call ahead, if only the modules show it: a
/// layer that was left out may be equal to the next one. The ranks are comparable if their modules agreed before.
std::optional<Mismatch> firstByModule(const HangGroup& group, uint64_t end) {
  std::optional<Mismatch> found =
      firstBetween(group, end, [](const MadeCall& a, const MadeCall& b) { return areAlike(*a.call, *b.call); });
  if (!found || found->sides.size() != 2) {
    return std::nullopt;
  }
  const TwoSides two = twoSides(*found);
  const uint64_t at = found->sequence;
  const bool agreed = at > 2 && areAlike(two.one.call(at - 1), two.other.call(at - 1)) &&
                      areAlike(two.one.call(at - 2), two.other.call(at - 2));
  const Shift shift = {goesOnOneAhead(two.one, two.other, at), goesOnOneAhead(two.other, two.one, at)};
  if (!agreed || !shift.isKnown()) {
    return std::nullopt;
  }
  judgeShift(two, shift.one_skipped, *found);
  return found->reason == HangReason::kOp ? std::nullopt : found;
}

/// Returns the first mismatch among the calls that ranks made in a group, as far back as all of them go.
std::optional<Mismatch> firstMismatch(const HangGroup& group) {
  std::optional<Mismatch> mismatch = firstBetween(group, UINT64_MAX, [](const MadeCall& a, const MadeCall& b) {
    return differenceOf(*a.call, *b.call) == HangReason::kNone;
  });
  if (!mismatch) {
    return std::nullopt;
  }
  mismatch->reason = differenceOf(*mismatch->sides[0].call, *mismatch->sides[1].call);
  findShift(*mismatch);
  std::optional<Mismatch> earlier = firstByModule(group, mismatch->sequence);
  return earlier ? earlier : mismatch;
}

/// Returns the first send and receive that meet and differ.
std::optional<Mismatch> firstUnmatched(const HangGroup& group) {
  std::optional<Mismatch> found;
  for (const Channel& channel : channelsOf(group)) {
    for (size_t i = 0; i < std::min(channel.sent.size(), channel.received.size()); ++i) {
      const LastCollective& sent = *channel.sent[i];
      const LastCollective& received = *channel.received[i];
      const uint64_t at_ns = std::max(sent.issued_at_ns, received.issued_at_ns);
      const bool differ = sent.dtype != received.dtype || sent.bytes != received.bytes;
      if (differ && (!found || at_ns < found->at_ns)) {
        const int64_t from = channel.sender->rank;
        const int64_t to = channel.receiver->rank;
        found = {HangReason::kUnmatched, &group, received.sequence, {{{to}, &received}, {{from}, &sent}}, {}, at_ns};
        found->cause = {from, to};
      }
    }
  }
  return found;
}

/// A thread numbers a collective before it adds it to its stretch. So the sums may lack some of the last ones, as many
/// as there are threads that issue collectives of one group at a time.
constexpr uint64_t kMostBeingAdded = 64;

/// Returns the number of stretches that a rank has certainly completed, and that its report holds.
size_t completedStretches(const HangMember& member) {
  const uint64_t issued = member.issued();
  const uint32_t completed = issued <= kMostBeingAdded ? 0 : stretchOf(issued - kMostBeingAdded + 1);
  return std::min<size_t>(member.group->stretches.size(), completed);
}

/// Module, phase, op, dtype, reduction.
using CountKey = std::tuple<std::string, Phase, std::string, std::string, std::string>;

std::map<CountKey, uint64_t> countsOf(const HangMember& member) {
  std::map<CountKey, uint64_t> counts;
  for (const Collective& row : member.sight->report->collectives) {
    if (row.group == member.group->name && !isPointToPoint(row.kind)) {
      addSaturating(counts[{row.module, row.phase, row.op, row.dtype, row.reduce_op}], row.count);
    }
  }
  return counts;
}

void addWaits(const Mismatch& mismatch, Waits& waits) {
  for (const MismatchSide& side : mismatch.sides) {
    for (const int64_t rank : side.ranks) {
      const HangMember* member = mismatch.group->memberOf(rank);
      const LastCollective* call = member == nullptr ? nullptr : member->call(mismatch.sequence);
      const bool is_open = call != nullptr && call->state < LastState::kCompleted;
      if (is_open && call == &member->sight->report->last.back()) {
        waits.emplace(rank, Wait{mismatch.group, call, {}, false});
      }
    }
  }
}

} // namespace

std::vector<Mismatch> mismatchesOf(const HangGroups& groups) {
  std::vector<Mismatch> found;
  for (const HangGroup& group : groups.all()) {
    if (std::optional<Mismatch> mismatch = firstMismatch(group)) {
      found.push_back(std::move(*mismatch));
    }
    if (std::optional<Mismatch> unmatched = firstUnmatched(group)) {
      found.push_back(std::move(*unmatched));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Mismatch& a, const Mismatch& b) { return a.at_ns < b.at_ns; });
  return found;
}

Waits withMismatches(Waits waits, const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& mismatch : mismatches) {
    if (mismatch.reason != HangReason::kUnmatched && mismatch.reason != HangReason::kReduceOp) {
      addWaits(mismatch, waits);
    }
  }
  return waits;
}

std::optional<HangDivergence> divergenceOf(const HangGroup& group) {
  for (uint32_t stretch = 0;; ++stretch) {
    std::map<int64_t, std::vector<int64_t>> sides; // by sum
    for (const HangMember& member : group.members) {
      if (member.group != nullptr && stretch < completedStretches(member)) {
        sides[member.group->stretches[stretch]].push_back(member.rank);
      }
    }
    if (sides.empty()) {
      return std::nullopt;
    }
    if (sides.size() == 1) {
      continue;
    }
    const auto most = std::max_element(
        sides.begin(), sides.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::vector<int64_t> others;
    for (const auto& [sum, ranks] : sides) {
      const bool are_others = sum != most->first || ranks.size() * 2 == group.members.size();
      others.insert(others.end(), ranks.begin(), are_others ? ranks.end() : ranks.begin());
    }
    return HangDivergence{
        group.title, group.ranks(), rankRanges(std::move(others)), stretchBegin(stretch), stretchEnd(stretch)};
  }
}

ComparedRanks comparedRanks(const HangGroup& group, const std::vector<int64_t>& cause) {
  ComparedRanks ranks;
  for (const HangMember& member : group.members) {
    const bool is_cause = std::find(cause.begin(), cause.end(), member.rank) != cause.end();
    const HangMember*& side = is_cause ? ranks.one : ranks.other;
    side = side == nullptr && member.group != nullptr && member.sight != nullptr ? &member : side;
  }
  return ranks;
}

std::vector<HangCount> countsOf(const ComparedRanks& ranks, size_t most) {
  const HangMember* one = ranks.one;
  const HangMember* other = ranks.other;
  std::vector<HangCount> differ;
  if (one == nullptr || other == nullptr) {
    return differ;
  }
  std::map<CountKey, std::pair<uint64_t, uint64_t>> both;
  for (const auto& [key, count] : countsOf(*one)) {
    both[key].first = count;
  }
  for (const auto& [key, count] : countsOf(*other)) {
    both[key].second = count;
  }
  for (const auto& [key, counts] : both) {
    if (counts.first != counts.second && differ.size() < most) {
      const auto& [module, phase, op, dtype, reduce_op] = key;
      const RankRanges ones = {{one->rank, one->rank}};
      const RankRanges others = {{other->rank, other->rank}};
      differ.push_back({module, phase, op, dtype, reduce_op, ones, counts.first, others, counts.second});
    }
  }
  return differ;
}

} // namespace commtap
