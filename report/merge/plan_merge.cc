// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/plan_merge.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/merge/job_merge.h"
#include "report/merge/job_reader.h"
#include "report/model/amounts.h"
#include "report/runs/report_scan.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// The reports of the planned ranks.
using ReportsByRank = std::map<int64_t, std::vector<ReadReport>>;

Result<ReportsByRank> readPlanned(const std::string& folder, std::vector<std::string>& problems) {
  const Result<ReportScan> scan = scanReports(folder, {});
  const Result<SelectedReports> selected =
      scan ? selectReports(*scan, {}) : Result<SelectedReports>::failure(scan.error());
  if (!selected) {
    return Result<ReportsByRank>::failure(selected.error());
  }
  ReportsByRank reports;
  problems = scan->problems;
  forEachReport(selected->reports, ReportDepth::kCompared, {}, [&](ReadReport item) {
    if (!item.report) {
      problems.push_back(item.report.error());
    } else if (const std::optional<int64_t> rank = item.report->job.rank) {
      item.path = fs::path(item.path).lexically_relative(folder);
      reports[*rank].push_back(std::move(item));
    }
  });
  return reports;
}

/// Returns the report that another rank would have, from that of the planned rank which stands for it.
Report reportOf(const Report& planned, int64_t rank, const PlanRanks& ranks) {
  Report report = planned;
  report.groups = ranks.groupsFor(planned.groups, *planned.job.rank, rank);
  report.job.rank = rank;
  report.last.clear(); // the planned rank's own are enough to compare orders
  for (Collective& row : report.collectives) {
    row.splits.peers.clear(); // to which ranks it would send how much is not known, nor from which it would receive
    row.splits.received_more = 0;
    row.splits.findExtremes();
  }
  return report;
}

JobReport merged(const ReportsByRank& reports, const PlanRanks& ranks) {
  JobMerge merge;
  for (const auto& [rank, planned] : ranks.standing()) {
    const auto found = reports.find(planned);
    if (found == reports.end()) {
      continue;
    }
    for (const ReadReport& item : found->second) {
      rank == planned ? merge.add(*item.report, item.path) : merge.add(reportOf(*item.report, rank, ranks), item.path);
    }
  }
  JobReport job = merge.finish();
  std::erase_if(job.processes, [&ranks](const JobProcess& process) {
    return ranks.standing().at(process.rank.value_or(-1)) != process.rank;
  });
  return job;
}

} // namespace

Result<PlanRanks> PlanRanks::fromJson(std::string_view text) {
  try {
    const nlohmann::json document = nlohmann::json::parse(text);
    PlanRanks ranks;
    ranks.shape_ = document.at("mesh").at("shape").get<std::vector<uint32_t>>();
    ranks.ranks_ = document.at("mesh").at("ranks").get<std::vector<uint32_t>>();
    const uint64_t size = std::accumulate(ranks.shape_.begin(), ranks.shape_.end(), uint64_t{1}, std::multiplies<>());
    if (ranks.shape_.empty() || size != ranks.ranks_.size()) {
      return Result<PlanRanks>::failure("the mesh has another number of ranks than its shape says");
    }
    ranks.index_.resize(size);
    for (uint32_t i = 0; i < size; ++i) {
      ranks.index_.at(ranks.ranks_[i]) = i;
    }
    std::vector<PlannedGroup> groups;
    for (const nlohmann::json& made : document.value("groups", nlohmann::json::array())) {
      groups.push_back({made.at(0).get<std::string>(), made.at(1).get<std::vector<uint32_t>>()});
    }
    ranks.groups_ = PlannedGroups(std::move(groups));
    for (const auto& [planned, standing] : document.at("standing").items()) {
      for (const int64_t rank : standing.get<std::vector<int64_t>>()) {
        ranks.standing_[rank] = std::stoll(planned);
      }
    }
    return ranks;
  } catch (const std::exception& error) {
    return Result<PlanRanks>::failure(error.what());
  }
}

std::vector<uint32_t> PlanRanks::placesOf(uint32_t rank) const {
  std::vector<uint32_t> places(shape_.size());
  uint32_t index = index_.at(rank);
  for (size_t i = shape_.size(); i-- > 0;) {
    places[i] = index % shape_[i];
    index /= shape_[i];
  }
  return places;
}

uint32_t PlanRanks::rankAt(const std::vector<uint32_t>& places) const {
  uint32_t index = 0;
  for (size_t i = 0; i < shape_.size(); ++i) {
    index = index * shape_[i] + places[i];
  }
  return ranks_[index];
}

void PlanRanks::moveGroup(std::vector<uint32_t>& members, uint32_t planned, uint32_t rank) const {
  const std::vector<uint32_t> from = placesOf(planned);
  const std::vector<uint32_t> to = placesOf(rank);
  std::vector<std::vector<uint32_t>> places;
  places.reserve(members.size());
  for (const uint32_t member : members) {
    places.push_back(placesOf(member));
  }
  for (size_t i = 0; i < shape_.size(); ++i) {
    const bool is_shared =
        std::all_of(places.begin(), places.end(), [&](const auto& place) { return place[i] == from[i]; });
    for (std::vector<uint32_t>& place : places) {
      place[i] = is_shared ? to[i] : place[i];
    }
  }
  std::transform(places.begin(), places.end(), members.begin(), [this](const auto& place) { return rankAt(place); });
}

std::vector<Group> PlanRanks::groupsFor(const std::vector<Group>& groups, int64_t planned, int64_t rank) const {
  std::vector<Group> moved = groups;
  for (Group& group : moved) {
    const auto to = static_cast<uint32_t>(rank);
    if (std::find(group.ranks.begin(), group.ranks.end(), to) != group.ranks.end()) {
      continue;
    }
    if (const PlannedGroup* made = groups_.like(group, static_cast<uint32_t>(planned), to)) {
      group.desc = made->desc.empty() ? group.desc : made->desc;
      group.ranks = made->ranks;
    } else {
      moveGroup(group.ranks, static_cast<uint32_t>(planned), to);
    }
  }
  return moved;
}

std::string planIn(const std::string& path) {
  std::string file = (fs::path(path) / kPlanFile).string();
  return isJobReport(file) ? file : "";
}

Result<JobReport> mergePlan(const std::string& folder, const PlanRanks& ranks) {
  std::vector<std::string> problems;
  const Result<ReportsByRank> reports = readPlanned(folder, problems);
  if (!reports) {
    return Result<JobReport>::failure(folder + ": " + reports.error());
  }
  JobReport job = merged(*reports, ranks);
  job.source = folder;
  job.problems = std::move(problems);
  return job;
}

Result<JobReport> mergeBeforeLast(const std::string& folder, const PlanRanks& ranks) {
  ReportsByRank reports;
  FastReportReader reader;
  for (const auto& [rank, planned] : ranks.standing()) {
    if (rank == planned) {
      std::string path = folder + "/plan/rank-" + std::to_string(planned) + ".before";
      Result<Report> report = reader.read(path);
      if (!report) {
        return Result<JobReport>::failure(report.error());
      }
      reports[planned].push_back({std::move(path), std::move(report)});
    }
  }
  JobReport job = merged(reports, ranks);
  job.source = folder;
  return job;
}

namespace {

std::string withoutDigits(std::string name) {
  std::erase_if(name, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return name;
}

/// Returns whether the members of both groups have the same distances.
bool areSpacedAlike(const std::vector<uint32_t>& one, const std::vector<uint32_t>& other) {
  return !one.empty() && std::equal(one.begin(), one.end(), other.begin(), other.end(), [&](uint32_t a, uint32_t b) {
    return a - one.front() == b - other.front();
  });
}

} // namespace

PlannedGroups::PlannedGroups(std::vector<PlannedGroup> groups) : groups_(std::move(groups)) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    for (const uint32_t rank : groups_[i].ranks) {
      by_rank_[rank].push_back(i);
    }
  }
}

std::vector<const PlannedGroup*> PlannedGroups::alikeWith(const PlannedGroup& group, uint32_t rank) const {
  std::vector<const PlannedGroup*> alike;
  const auto places = by_rank_.find(rank);
  for (const size_t place : places == by_rank_.end() ? std::vector<size_t>() : places->second) {
    const PlannedGroup& other = groups_[place];
    if (withoutDigits(other.desc) == withoutDigits(group.desc) && areSpacedAlike(other.ranks, group.ranks)) {
      alike.push_back(&other);
    }
  }
  return alike;
}

const PlannedGroup* PlannedGroups::like(const Group& group, uint32_t planned, uint32_t rank) const {
  const PlannedGroup own{isDescribed(group) ? group.desc : "", group.ranks};
  const std::vector<const PlannedGroup*> from = alikeWith(own, planned);
  const auto place = std::find_if(from.begin(), from.end(), [&own](const PlannedGroup* other) {
    return other->desc == own.desc && other->ranks == own.ranks;
  });
  const std::vector<const PlannedGroup*> to = alikeWith(own, rank);
  const auto index = static_cast<size_t>(place - from.begin());
  return place == from.end() || index >= to.size() ? nullptr : to[index];
}

} // namespace commtap
