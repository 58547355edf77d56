// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/matched_groups.h"

#include <doctest/doctest.h>

#include "report/compare/job_comparison.h"
#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

using Notes = std::vector<std::string>;

/// A group of a job, and the mesh dimension that it is.
struct NamedGroup {
  std::string name;
  std::string dimension;
};

/// Returns a job of one step in which the module Net communicates in each group.
JobReport jobIn(const std::vector<NamedGroup>& groups) {
  JobReport job = jobOfSteps({{{"Net", 2}}});
  const JobCollective row = job.collectives[0];
  job.collectives.clear();
  job.groups.clear();
  for (const NamedGroup& group : groups) {
    job.collectives.push_back(row);
    job.collectives.back().group = job.groups.size();
    job.groups.emplace_back().name = group.name;
    job.groups.back().mesh_dimension = group.dimension;
  }
  job.steps.clear();
  return job;
}

struct Matched {
  Cells before;
  Cells after;
  Notes notes;
};

Matched matched(const JobReport& before, const JobReport& after) {
  auto [cells_before, cells_after] = comparableCells(before, after);
  Notes notes = matchGroups(before, after, cells_before, cells_after);
  return {std::move(cells_before), std::move(cells_after), std::move(notes)};
}

std::string groupsOf(const Cells& cells) {
  std::string groups;
  for (const auto& [key, cell] : cells) {
    groups += (groups.empty() ? "" : " ") + key.group;
  }
  return groups;
}

const NamedGroup kWorldIsDp{"default_pg", "dp"};
const NamedGroup kWorld{"default_pg", ""};
const NamedGroup kDp{"mesh_dp", "dp"};

TEST_CASE("the default group of a mesh over all ranks is compared with the subgroup of the same dimension") {
  for (const bool is_world_first : {true, false}) {
    const JobReport one = jobIn({is_world_first ? kWorldIsDp : kDp});
    const JobReport other = jobIn({is_world_first ? kDp : kWorldIsDp});
    const Matched match = matched(one, other);
    CHECK(groupsOf(match.before) == "mesh_dp");
    CHECK(groupsOf(match.after) == "mesh_dp");
    CHECK(match.before.begin()->second.count == 2);
    const JobComparison comparison = compareJobs(one, other, {}, {});
    CHECK(comparison.changes.empty());
    CHECK(comparison.notes.back() == match.notes.at(0));
  }
  CHECK(
      matched(jobIn({kWorldIsDp}), jobIn({kDp})).notes ==
      Notes{"group default_pg before and mesh_dp after are both the mesh dimension dp: rows that only one of them has "
            "are "
            "compared under mesh_dp"});
}

TEST_CASE("groups that are not proved to be one dimension are not compared with each other") {
  for (const NamedGroup& other : {NamedGroup{"mesh_dp", ""}, NamedGroup{"mesh_tp", "tp"}, NamedGroup{"dp", ""}}) {
    const Matched match = matched(jobIn({kWorldIsDp}), jobIn({other}));
    CHECK(groupsOf(match.before) == "default_pg");
    CHECK(groupsOf(match.after) == other.name);
    CHECK(match.notes.empty());
  }
  CHECK(matched(jobIn({kWorld}), jobIn({kDp})).notes.empty());
}

TEST_CASE("a cell that both runs have in the same group stays in it") {
  const Matched match = matched(jobIn({kWorldIsDp}), jobIn({kWorld, kDp}));
  CHECK(groupsOf(match.before) == "default_pg");
  CHECK(groupsOf(match.after) == "default_pg mesh_dp");
}

TEST_CASE("of several groups of one dimension none is compared with a group of another name") {
  const NamedGroup second{"mesh_dp#2", "dp"};
  CHECK(groupsOf(matched(jobIn({kWorldIsDp}), jobIn({kDp, second})).after) == "mesh_dp mesh_dp#2");
  CHECK(groupsOf(matched(jobIn({kDp, second}), jobIn({kDp, kWorldIsDp})).before) == "mesh_dp mesh_dp#2");
}

} // namespace
} // namespace commtap
