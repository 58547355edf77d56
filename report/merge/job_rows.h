// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/base/string_table.h"
#include "report/job/job_report.h"
#include "report/json/columns.h"
#include "report/json/row_columns.h"
#include "report/merge/rank_slots.h"
#include "report/model/amounts.h"
#include "report/model/module_tree.h"

namespace commtap {

/// Returns the key of a row with numbers in place of texts: `group` for the group, those of `texts` for the others.
inline auto numberedKey(const Collective& row, uint32_t group, StringTable& texts) {
  return keyParts<Collective>([&row, group, &texts](const auto& column) {
    const auto& value = row.*column.member;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, std::string>) {
      return column.member == &Collective::group ? group : texts.id(value);
    } else {
      return value;
    }
  });
}

/// Builds the rows of a job's collectives. Ranks are added one after the other.
class JobRows {
 public:
  /// The ranks of a process group; nullptr if they are not known. Those of one process group have one address.
  using Ranks = const std::vector<uint32_t>*;

  /// Adds a row of the current rank, and the members that its report has for it.
  void add(const Collective& row, uint32_t group, std::span<const Member> members = {}, Ranks ranks = nullptr);
  void endRank(RankSlot slot, std::optional<int64_t> rank) {
    rows_.endRank(slot, rank);
  }

  /// Returns the rows, unsorted; `group` is as passed to add().
  std::vector<JobCollective> take(RankSets& sets) const;

 private:
  using Key = decltype(numberedKey(Collective(), 0, std::declval<StringTable&>()));
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  struct MemberSum {
    uint64_t bytes = 0;
    std::optional<uint64_t> count{};
    uint64_t changes = 0;
  };
  /// The all_to_alls of a process group's ranks.
  struct Exchanges {
    uint64_t rows = 0; ///< one for each rank, unless processes followed one another
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t most_calls = 0; ///< of a rank
    uint64_t most_bytes = 0; ///< of a rank: of each call, those that it sends or receives, whichever are more
  };
  struct Sum : RankedAmount {
    std::map<Ranks, Exchanges> exchanges;
    std::vector<uint32_t> lowered; ///< only a few
    std::map<uint32_t, MemberSum> members;
    Splits splits;
    JobRowTime time;
  };
  using Rows = RankRows<Key, KeyHash, Amount, Sum>;

  static uint64_t unevenBytes(const Sum& sum);

  /// Returns no members unless they add up to the row: a rank may not know its own.
  std::vector<JobMember> membersOf(const Sum& sum) const;
  JobCollective collectiveOf(const Key& key, const Rows::Row& row, RankSets& sets) const;

  StringTable texts_;
  Rows rows_;
};

/// Builds the step rows of a job. Ranks are added one after the other. Ranks that ran equally many steps have added up
/// the same runs of steps. A run of steps that only some ranks have is a row of those ranks. What a rank that trains
/// does outside of its steps is a row of its own before each of them.
class JobSteps {
 public:
  /// Adds the steps of a process. `groups`: the job's group of each amount, in the order of `steps`.
  void add(std::span<const Step> steps, std::span<const uint32_t> groups);
  void endRank(std::optional<int64_t> rank);

  /// Sets the steps of the job, and what is outside of them, in order; `group` is as passed to add().
  void take(JobReport& job) const;

 private:
  using Place = std::pair<Kind, uint32_t>; ///< kind, group
  struct Row {
    uint64_t ranks = 0;
    uint64_t timed_ranks = 0;
    Spread<uint64_t> duration_ns;
    std::map<Place, JobStepAmount> amounts;
    uint64_t forward_passes = 0; ///< the most of any rank
    uint64_t backward_passes = 0;
    uint64_t closure_passes = 0;
    uint64_t training_steps = 0;
    uint64_t steps = 0;
  };
  struct ComingAmount {
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t running_ns = 0;
    uint64_t exposed_ns = 0;
  };
  /// The current rank's amounts in a run of steps.
  struct Coming {
    std::optional<uint64_t> duration_ns; ///< longest of its processes; the sum outside of steps
    std::map<Place, ComingAmount> amounts;
    uint64_t forward_passes = 0;
    uint64_t backward_passes = 0;
    uint64_t closure_passes = 0;
    uint64_t training_steps = 0;
    uint64_t steps = 0;
  };

  std::map<StepPlace, Row> rows_;
  std::map<StepPlace, Coming> coming_;
};

/// Builds the module tree of a job. Ranks are added one after the other.
class JobModules {
 public:
  /// Adds a process of the current rank.
  void add(const Report& report);
  void endRank(RankSlot slot, std::optional<int64_t> rank);

  /// Returns the tree with the amounts of `rows`, which are the job's. It includes the modules of `rows` that no report
  /// lists.
  std::vector<JobModule> take(const std::vector<JobCollective>& rows, RankSets& sets);

 private:
  struct Calls {
    std::array<Spread<uint64_t>, kPhaseCount> spreads{};
    SlotSet slots;
    bool has_rank = false;
  };

  ModuleTree tree_;
  std::unordered_map<std::string, Calls> calls_;
  ModuleCalls coming_; ///< calls of the current rank
};

/// Identifies a process group of one report within the job.
struct GroupPlace {
  static constexpr uint32_t kUnknown = UINT32_MAX;

  uint32_t group = 0;           ///< number of the group
  uint32_t instance = kUnknown; ///< number of the process group; kUnknown if its ranks are not known
};

/// The process groups of a job. Process groups with one description are one group, with an instance per set of ranks
/// and each time that it was made. The "dp" of ranks 0 and 2 and the "dp" of ranks 1 and 3 are two instances of one
/// group.
class JobGroups {
 public:
  GroupPlace placeOf(const Group& group, const GroupIdentity& identity);
  /// Returns the place of a group name that the report does not define.
  GroupPlace placeOfUnknown(const std::string& name);

  size_t size() const {
    return groups_.size();
  }
  uint32_t groupOf(uint32_t instance) const {
    return instances_[instance].group;
  }
  /// Returns the global ranks of the instance, sorted.
  const std::vector<uint32_t>& membersOf(uint32_t instance) const {
    return *instances_[instance].ranks;
  }

  /// Returns the groups by number, with unique names and their members. Their totals are not set.
  std::vector<JobGroup> take() const;

 private:
  using Key = std::tuple<std::string, std::string, uint32_t>; ///< name, backend, size
  struct Instance {
    uint32_t group;
    const std::vector<uint32_t>* ranks; ///< a key of `ids_`; keys never move
  };
  struct RanksHash {
    size_t operator()(const std::vector<uint32_t>& ranks) const;
  };

  uint32_t groupIdOf(Key key, const std::string& desc);
  uint32_t instanceOf(uint32_t group, uint32_t nth, const std::vector<uint32_t>& ranks);

  std::map<Key, uint32_t> groups_;
  std::vector<std::string> descs_;             ///< by group
  std::map<uint32_t, std::string> dimensions_; ///< by group that a report defines; "" if ranks differ
  std::vector<Instance> instances_;
  using Ids = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;  ///< instance by group and how manieth
  std::unordered_map<std::vector<uint32_t>, Ids, RanksHash> ids_; ///< by ranks
};

} // namespace commtap
