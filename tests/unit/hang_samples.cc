// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/hang_samples.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace commtap {

HangJob::HangJob(uint32_t ranks) : sights_(ranks) {
  std::vector<uint32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0U);
  for (size_t rank = 0; rank < ranks; ++rank) {
    auto& [look, report] = sights_[rank];
    look.is_here = true;
    look.text = "sleeps";
    report.job.run_id = "run";
    report.job.rank = static_cast<int64_t>(rank);
    report.job.world_size = ranks;
    report.job.host = "here";
    report.job.pid = 100 + rank;
    report.job.started_at_ns = now_ns_;
  }
  addGroup("world", std::move(all));
}

void HangJob::addGroup(const std::string& name, std::vector<uint32_t> ranks) {
  for (const uint32_t rank : ranks) {
    Group group;
    group.name = name;
    group.desc = name;
    group.backend = "gloo";
    group.size = static_cast<uint32_t>(ranks.size());
    group.ranks = ranks;
    report(rank).groups.push_back(group);
  }
}

HangJob::Sight& HangJob::sight(int64_t rank) {
  const auto found =
      std::find_if(sights_.begin(), sights_.end(), [rank](const Sight& each) { return each.second.job.rank == rank; });
  REQUIRE(found != sights_.end());
  return *found;
}

LastCollective& HangJob::add(int64_t rank, LastCollective call) {
  std::vector<LastCollective>& last = report(rank).last;
  now_ns_ += kSecond;
  call.number = last.size() + 1;
  call.issued_at_ns = now_ns_;
  call.state = LastState::kReturned;
  last.push_back(std::move(call));
  return last.back();
}

LastCollective& HangJob::issue(int64_t rank, Kind kind, const std::string& module, const std::string& group) {
  std::vector<Group>& groups = report(rank).groups;
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.name == group; });
  REQUIRE(found != groups.end());
  LastCollective call;
  call.group = group;
  call.sequence = ++found->collectives;
  call.module = module;
  call.phase = module == "Global" ? Phase::kOther : Phase::kForward;
  call.kind = kind;
  call.op = "c10d." + std::string(kindName(kind)) + "_";
  call.dtype = kind == Kind::kBarrier ? "" : "float32";
  call.bytes = kind == Kind::kBarrier ? 0 : 64;
  std::vector<Collective>& rows = report(rank).collectives;
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const Collective& each) {
    return each.module == module && each.op == call.op && each.group == group;
  });
  Collective& counted = row == rows.end() ? rows.emplace_back() : *row;
  counted.module = module;
  counted.phase = call.phase;
  counted.op = call.op;
  counted.kind = kind;
  counted.group = group;
  ++counted.count;
  return add(rank, std::move(call));
}

void HangJob::issueOnAll(Kind kind, const std::string& module) {
  for (const Sight& each : sights_) {
    issue(*each.second.job.rank, kind, module);
  }
}

LastCollective& HangJob::message(int64_t rank, Kind kind, int64_t peer, const std::string& group) {
  std::vector<Group>& groups = report(rank).groups;
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& each) { return each.name == group; });
  REQUIRE(found != groups.end());
  LastCollective call;
  call.group = group;
  call.sequence = ++found->point_to_point;
  call.module = "Stage";
  call.kind = kind;
  call.op = kind == Kind::kSend ? "c10d.send" : "c10d.recv_";
  call.dtype = "float32";
  call.bytes = 64;
  call.peer = peer;
  return add(rank, std::move(call));
}

void HangJob::end(int64_t rank, ExitKind how, std::optional<int64_t> signal, uint64_t seconds) {
  Job& job = report(rank).job;
  job.exit = how;
  job.exit_signal = signal;
  job.exit_status.reset();
  const bool is_known = how == ExitKind::kKilled ? signal.has_value() : how != ExitKind::kSignal || seconds > 0;
  job.ended_at_ns = is_known ? std::optional(after(seconds)) : std::nullopt;
  look(rank) = {};
}

void HangJob::exit(int64_t rank, int64_t status, uint64_t seconds) {
  end(rank, ExitKind::kNormal, std::nullopt, seconds);
  report(rank).job.exit_status = status;
}

void HangJob::remove(int64_t rank) {
  const auto found =
      std::find_if(sights_.begin(), sights_.end(), [rank](const Sight& each) { return each.second.job.rank == rank; });
  REQUIRE(found != sights_.end());
  sights_.erase(found);
}

std::vector<RankSight> HangJob::sights() const {
  std::vector<RankSight> sights;
  for (const auto& [look, report] : sights_) {
    sights.push_back({&report, look});
  }
  return sights;
}

HangJob lateJob(uint32_t ranks, int64_t late) {
  HangJob job(ranks);
  job.issueOnAll(Kind::kAllReduce, "Net.a");
  for (int64_t rank = 0; rank < ranks; ++rank) {
    if (rank != late) {
      job.issue(rank, Kind::kAllReduce, "Net.b");
    }
  }
  return job;
}

} // namespace commtap
