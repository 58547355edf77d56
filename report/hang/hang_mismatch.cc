// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/hang_mismatch.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "report/hang/message_match.h"
#include "report/job/job_summary.h"
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

/// Returns whether two collectives of ranks that work alike are the same one of the model.
bool areAlike(const LastCollective* a, const LastCollective* b) {
  return areEqual(a, b) && a->module == b->module && a->phase == b->phase;
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

/// Returns the number of the last collective before `sequence` that came after the same two collectives as `sequence`
/// comes after; 0 if there is none.
uint64_t lastLike(const HangMember& member, uint64_t sequence) {
  constexpr uint64_t kSame = 2;
  for (uint64_t earlier = sequence - 1; earlier > kSame && member.call(earlier - kSame) != nullptr; --earlier) {
    uint64_t same = 0;
    while (same < kSame && areAlike(member.call(earlier - 1 - same), member.call(sequence - 1 - same))) {
      ++same;
    }
    if (same == kSame) {
      return earlier;
    }
  }
  return 0;
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
  const uint64_t before = lastLike(two.one, at);
  const LastCollective* usual = two.one.call(before);
  const LastCollective* next = two.one.call(before + 1);
  const bool other_is_usual = before != 0 && areAlike(usual, two.other.call(at));
  const bool one_is_usual = before != 0 && areAlike(usual, two.one.call(at));
  return {other_is_usual && areAlike(next, two.one.call(at)), one_is_usual && areAlike(next, two.other.call(at))};
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

/// Finds out whether one of two sides left out a collective, or made one more, or two in another order: by what they
/// made later, or by what came after the same collectives before.
void findShift(Mismatch& mismatch) {
  const std::vector<MismatchSide>& sides = mismatch.sides;
  if (sides.size() != 2) {
    return;
  }
  const uint64_t at = mismatch.sequence;
  const TwoSides two = {
      *mismatch.group->memberOf(sides[0].ranks.front()),
      *mismatch.group->memberOf(sides[1].ranks.front()),
      sides[0].ranks.size() > sides[1].ranks.size()};
  if (areSwapped(two.one, two.other, at)) {
    mismatch.reason = HangReason::kOrder;
    return;
  }
  if (mismatch.reason != HangReason::kOp && agreeAfter(two.one, two.other, at)) {
    return;
  }
  Shift shift = {isOneBehind(two.one, two.other, at), isOneBehind(two.other, two.one, at)};
  if (!shift.isKnown()) {
    shift = usualShift(two, at);
    mismatch.is_proven = !shift.isKnown();
  }
  if (shift.isKnown()) {
    judgeShift(two, shift.one_skipped, mismatch);
  }
}

/// Returns the first mismatch among the calls that ranks made in a group, as far back as all of them go.
std::optional<Mismatch> firstMismatch(const HangGroup& group) {
  std::map<uint64_t, std::vector<MismatchSide>> numbers;
  const size_t most = group.members.size() > kManyRanks ? kMostCompared : SIZE_MAX;
  for (const HangMember& member : group.members) {
    const size_t skipped = member.calls.size() - std::min(member.calls.size(), most);
    for (size_t i = skipped; i < member.calls.size(); ++i) {
      const LastCollective* call = member.calls[i];
      std::vector<MismatchSide>& sides = numbers[call->sequence];
      const auto side = std::find_if(sides.begin(), sides.end(), [call](const MismatchSide& each) {
        return differenceOf(*each.call, *call) == HangReason::kNone;
      });
      if (side == sides.end()) {
        sides.push_back({{member.rank}, call});
      } else {
        side->ranks.push_back(member.rank);
      }
    }
  }
  for (auto& [sequence, sides] : numbers) {
    if (sides.size() > 1) {
      Mismatch mismatch;
      mismatch.group = &group;
      mismatch.sequence = sequence;
      mismatch.sides = std::move(sides);
      judgeSides(mismatch);
      mismatch.reason = differenceOf(*mismatch.sides[0].call, *mismatch.sides[1].call);
      findShift(mismatch);
      return mismatch;
    }
  }
  return std::nullopt;
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
