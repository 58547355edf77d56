// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_agreement.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "report/merge/job_order.h"
#include "report/model/saturating.h"

namespace commtap {
namespace {

bool contains(const RankRanges& ranges, int64_t rank) {
  const auto after = std::upper_bound(
      ranges.begin(), ranges.end(), rank, [](int64_t value, const RankRange& range) { return value < range.first; });
  return after != ranges.begin() && rank <= std::prev(after)->second;
}

/// Returns `module` without the number of its root. "Net#2" is the second root that a process called, so the number can
/// differ between ranks.
std::string withoutNumber(const std::string& module) {
  const size_t dot = std::min(module.find('.'), module.size());
  const size_t mark = std::min(module.find('#'), dot);
  return module.substr(0, mark) + module.substr(dot);
}

} // namespace

/// What is known about the ranks besides their rows.
struct JobAgreement::Ranks {
  const JobGroups& groups;
  const RankRanges& present;
  const JobEndings& endings;
  const JobOrder& order;

  /// Returns whether a rank of the group was killed, and the end of none leaves it open why it stopped.
  bool hasKill(uint32_t instance) const {
    const std::vector<uint32_t>& members = groups.membersOf(instance);
    const auto any_in = [&members](const RankRanges& ranges) {
      return std::any_of(members.begin(), members.end(), [&](uint32_t rank) { return contains(ranges, rank); });
    };
    return !endings.killed.empty() && any_in(endings.killed) && !any_in(endings.unclear);
  }
};

struct JobAgreement::Finding {
  Disagreement::What what;
  uint64_t gap; ///< between the largest and the smallest number
  uint32_t instance;
  uint32_t key; ///< the dtype for kUnmatched

  /// Sorts the most severe finding first.
  bool operator<(const Finding& other) const {
    return std::tuple(what, other.gap, instance, key) < std::tuple(other.what, gap, other.instance, other.key);
  }
};

/// Compares the rows of one process group's ranks.
class JobAgreement::Judge {
 public:
  Judge(const JobAgreement& agreement, uint32_t id, const Ranks& ranks)
      : agreement_(agreement), id_(id), ranks_(ranks) {
    const Instance& instance = agreement.instances_.at(id);
    sides_.push_back({&instance.reference, instance.agreeing});
    std::vector<int64_t> seen = instance.agreeing;
    for (const auto& [rank, entries] : instance.deviants) {
      sides_.push_back({&entries, {rank}});
      seen.push_back(rank);
    }
    std::sort(seen.begin(), seen.end());
    std::vector<int64_t> absent;
    for (const uint32_t rank : ranks.groups.membersOf(id)) {
      if (contains(ranks.present, rank) && !std::binary_search(seen.begin(), seen.end(), rank)) {
        absent.push_back(rank);
      }
    }
    if (!absent.empty()) {
      sides_.push_back({&nothing_, std::move(absent)});
    }
  }

  void find(std::vector<Finding>& findings) const {
    if (sides_.size() == 1) {
      return;
    }
    const std::set<OpKey> uneven = unevenOps();
    const auto unequal = isStopped() ? Disagreement::What::kStopped : Disagreement::What::kCount;
    for (const uint32_t key : allKeys()) {
      const auto [least, most] = bounds(key);
      if (least.count != most.count) {
        const bool is_uneven = uneven.count(opOf(key)) > 0;
        const auto what = is_uneven ? unequal : Disagreement::What::kModule;
        findings.push_back({what, most.count - least.count, id_, key});
      } else if (least.bytes != most.bytes) {
        findings.push_back({Disagreement::What::kBytes, most.bytes - least.bytes, id_, key});
      }
    }
  }

  std::vector<Disagreement::Value> valuesOf(uint32_t key) const {
    std::map<std::pair<uint64_t, uint64_t>, std::vector<int64_t>> ranks;
    for (const Side& side : sides_) {
      const Entry entry = entryIn(*side.entries, key);
      std::vector<int64_t>& same = ranks[{entry.count, entry.bytes}];
      same.insert(same.end(), side.ranks.begin(), side.ranks.end());
    }
    std::vector<std::pair<size_t, Disagreement::Value>> values;
    for (auto& [numbers, same] : ranks) {
      const bool has_bytes = hasEqualBytes(agreement_.keys_[key].kind);
      const auto bytes = has_bytes ? std::optional<uint64_t>(numbers.second) : std::nullopt;
      const size_t size = same.size();
      values.push_back({size, {rankRanges(std::move(same)), numbers.first, bytes, {}}});
    }
    std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.first, a.second.count) > std::tuple(b.first, b.second.count);
    });
    std::vector<Disagreement::Value> sorted;
    sorted.reserve(values.size());
    for (auto& [size, value] : values) {
      sorted.push_back(std::move(value));
    }
    return sorted;
  }

 private:
  /// Ranks with the same entries.
  struct Side {
    const Entries* entries;
    std::vector<int64_t> ranks;
  };
  using OpKey = std::tuple<uint32_t, Kind, uint32_t, uint32_t>; ///< op, kind, dtype, reduce_op

  OpKey opOf(uint32_t key) const {
    const Key& known = agreement_.keys_[key];
    return {known.op, known.kind, known.dtype, known.reduce_op};
  }

  static Entry entryIn(const Entries& entries, uint32_t key) {
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), key, [](const Entry& entry, uint32_t wanted) { return entry.key < wanted; });
    return found != entries.end() && found->key == key ? *found : Entry{key, 0, 0};
  }

  std::set<uint32_t> allKeys() const {
    std::set<uint32_t> keys;
    for (const Side& side : sides_) {
      for (const Entry& entry : *side.entries) {
        keys.insert(entry.key);
      }
    }
    return keys;
  }

  std::pair<Entry, Entry> bounds(uint32_t key) const {
    Entry least = entryIn(*sides_[0].entries, key);
    Entry most = least;
    for (const Side& side : sides_) {
      const Entry entry = entryIn(*side.entries, key);
      least = {key, std::min(least.count, entry.count), std::min(least.bytes, entry.bytes)};
      most = {key, std::max(most.count, entry.count), std::max(most.bytes, entry.bytes)};
    }
    return {least, most};
  }

  /// Returns the ops whose number of calls differs between ranks, over all modules.
  std::set<OpKey> unevenOps() const {
    std::vector<std::map<OpKey, uint64_t>> totals(sides_.size());
    std::set<OpKey> ops;
    for (size_t i = 0; i < sides_.size(); ++i) {
      for (const Entry& entry : *sides_[i].entries) {
        addSaturating(totals[i][opOf(entry.key)], entry.count);
        ops.insert(opOf(entry.key));
      }
    }
    std::set<OpKey> uneven;
    for (const OpKey& op : ops) {
      const bool differs =
          std::any_of(totals.begin(), totals.end(), [&](auto& total) { return total[op] != totals[0][op]; });
      if (differs) {
        uneven.insert(op);
      }
    }
    return uneven;
  }

  /// Returns whether the ranks behind were killed in the middle of the sequence of the rank that is furthest.
  bool isStopped() const {
    const std::optional<int64_t> furthest = ranks_.hasKill(id_) ? ranks_.order.furthestRank(id_) : std::nullopt;
    const auto front = std::find_if(sides_.begin(), sides_.end(), [&furthest](const Side& side) {
      return furthest && std::find(side.ranks.begin(), side.ranks.end(), *furthest) != side.ranks.end();
    });
    return front != sides_.end() && std::all_of(sides_.begin(), sides_.end(), [&](const Side& side) {
             return &side == &*front || isFirstPart(side, *front);
           });
  }

  /// Returns whether the ranks of `side` were killed, and their calls and those that they missed add up to the calls of
  /// `front`.
  bool isFirstPart(const Side& side, const Side& front) const {
    const auto missed = ranks_.order.missedBy(id_, side.ranks.front());
    const bool all_killed = std::all_of(
        side.ranks.begin(), side.ranks.end(), [this](int64_t rank) { return contains(ranks_.endings.killed, rank); });
    if (!missed || !all_killed) {
      return false;
    }
    using Place = std::tuple<std::string, std::string, Kind, std::string>; ///< module, op, kind, dtype
    std::map<Place, uint64_t> open; // differences modulo 2^64: counts can be any numbers
    const auto add = [&](const Entries& entries, const Entries& others, bool is_front) {
      for (const Entry& entry : entries) {
        const uint64_t other = entryIn(others, entry.key).count;
        if (entry.count > other) { // else equal, or added from the other side
          const Key& key = agreement_.keys_[entry.key];
          const StringTable& texts = agreement_.texts_;
          const uint64_t more = entry.count - other;
          open[{texts.text(key.module), texts.text(key.op), key.kind, texts.text(key.dtype)}] +=
              is_front ? more : uint64_t{0} - more;
        }
      }
    };
    add(*front.entries, *side.entries, true);
    add(*side.entries, *front.entries, false);
    for (const Disagreement::Call& call : *missed) {
      --open[{withoutNumber(call.module), call.op, call.kind, call.dtype}];
    }
    return std::all_of(open.begin(), open.end(), [](const auto& place) { return place.second == 0; });
  }

  const JobAgreement& agreement_;
  uint32_t id_;
  const Ranks& ranks_;
  const Entries nothing_;
  std::vector<Side> sides_; ///< the ranks that agree with the first rank come first
};

uint32_t JobAgreement::keyOf(const Collective& row) {
  const Key key{
      texts_.id(withoutNumber(row.module)),
      texts_.id(row.op),
      texts_.id(row.dtype),
      texts_.id(row.reduce_op),
      row.phase,
      row.kind};
  const auto [entry, is_new] = key_ids_.emplace(key, static_cast<uint32_t>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
  }
  return entry->second;
}

void JobAgreement::add(const Collective& row, uint32_t instance) {
  if (instance == GroupPlace::kUnknown || row.kind == Kind::kOther) {
    return;
  }
  if (isPointToPoint(row.kind)) {
    Traffic& traffic = coming_traffic_[{instance, texts_.id(row.dtype)}];
    (row.kind == Kind::kSend ? traffic.sent : traffic.received) += {row.count, row.bytes, 0};
    return;
  }
  coming_[instance].push_back({keyOf(row), row.count, hasEqualBytes(row.kind) ? row.bytes : 0});
}

void JobAgreement::dropRank() {
  coming_.clear();
  coming_traffic_.clear();
}

void JobAgreement::compare(int64_t rank, Instance& instance, Entries entries, size_t member_count) {
  if (instance.agreeing.empty()) {
    instance.reference = std::move(entries);
    instance.agreeing.push_back(rank);
  } else if (entries == instance.reference) {
    instance.agreeing.push_back(rank);
  } else {
    instance.deviants.emplace_back(rank, std::move(entries));
  }
  if (instance.agreeing.size() == member_count) {
    instance.reference = Entries();
  }
}

void JobAgreement::endRank(int64_t rank, const JobGroups& groups) {
  for (auto& [id, entries] : coming_) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    Entries sums; // merges rows that differ only in async or issued_in
    for (const Entry& entry : entries) {
      if (!sums.empty() && sums.back().key == entry.key) {
        addSaturating(sums.back().count, entry.count);
        addSaturating(sums.back().bytes, entry.bytes);
      } else {
        sums.push_back(entry);
      }
    }
    compare(rank, instances_[id], std::move(sums), groups.membersOf(id).size());
  }
  for (const auto& [key, traffic] : coming_traffic_) {
    traffic_[key].sent += traffic.sent;
    traffic_[key].received += traffic.received;
  }
  dropRank();
}

void JobAgreement::findUnmatched(const Ranks& ranks, std::vector<Finding>& findings) const {
  for (const auto& [key, traffic] : traffic_) {
    const std::vector<uint32_t>& members = ranks.groups.membersOf(key.first);
    const bool all_here =
        std::all_of(members.begin(), members.end(), [&](uint32_t rank) { return contains(ranks.present, rank); });
    // A kill leaves sends and receives without their counterpart, in whatever order the others had issued theirs.
    if (all_here && !ranks.hasKill(key.first) && traffic.sent != traffic.received) {
      const auto [less, more] = std::minmax(traffic.sent.count, traffic.received.count);
      findings.push_back({Disagreement::What::kUnmatched, more - less, key.first, key.second});
    }
  }
}

Disagreement JobAgreement::unmatchedOf(const Finding& finding) const {
  Disagreement disagreement;
  const Traffic& traffic = traffic_.at({finding.instance, finding.key});
  disagreement.kind = Kind::kSend;
  disagreement.dtype = texts_.text(finding.key);
  disagreement.values = {
      {{}, traffic.sent.count, traffic.sent.bytes, {}}, {{}, traffic.received.count, traffic.received.bytes, {}}};
  return disagreement;
}

Disagreement JobAgreement::differenceOf(const Judge& judge, const Finding& finding) const {
  const Key& key = keys_[finding.key];
  Disagreement disagreement;
  disagreement.module = texts_.text(key.module);
  disagreement.phase = key.phase;
  disagreement.op = texts_.text(key.op);
  disagreement.kind = key.kind;
  disagreement.dtype = texts_.text(key.dtype);
  disagreement.reduce_op = texts_.text(key.reduce_op);
  disagreement.values = judge.valuesOf(finding.key);
  return disagreement;
}

JobAgreement::Findings JobAgreement::take(
    const JobGroups& groups,
    const RankRanges& present,
    const JobEndings& endings,
    const JobOrder& order) const {
  const Ranks ranks{groups, present, endings, order};
  std::vector<Finding> findings;
  findUnmatched(ranks, findings);
  for (const auto& [id, instance] : instances_) {
    Judge(*this, id, ranks).find(findings);
  }
  const size_t kept = std::min(findings.size(), kMaxDisagreements);
  std::partial_sort(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(kept), findings.end());
  Findings result;
  result.found = findings.size();
  for (size_t i = 0; i < kept; ++i) {
    const Finding& finding = findings[i];
    const bool is_unmatched = finding.what == Disagreement::What::kUnmatched;
    Disagreement disagreement =
        is_unmatched ? unmatchedOf(finding) : differenceOf(Judge(*this, finding.instance, ranks), finding);
    disagreement.what = finding.what;
    disagreement.group = groups.groupOf(finding.instance);
    disagreement.members = groups.membersOf(finding.instance);
    result.worst.push_back(std::move(disagreement));
  }
  return result;
}

} // namespace commtap
