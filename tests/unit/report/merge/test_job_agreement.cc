// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_agreement.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

#include "report/merge/job_order.h"
#include "tests/unit/job_samples.h"

namespace commtap {
namespace {

using What = Disagreement::What;

/// AgreementRanks 0 to 3 with one row each, on groups of two: ranks 0 and 1, ranks 2 and 3.
class AgreementRanks {
 public:
  AgreementRanks() {
    for (uint32_t rank = 0; rank < 4; ++rank) {
      Collective row;
      row.module = "Net.layer";
      row.phase = Phase::kForward;
      row.op = "c10d.allreduce_";
      row.kind = Kind::kAllReduce;
      row.count = 10;
      row.bytes = 1000;
      rows.push_back({row});
    }
  }

  JobAgreement::Findings judge(const RankRanges& present = {{0, 3}}, const JobEndings& endings = {}) {
    JobAgreement agreement;
    JobOrder order;
    for (uint32_t rank = 0; rank < rows.size(); ++rank) {
      const std::vector<uint32_t> members = rank < 2 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{2, 3};
      const GroupPlace place = groups.placeOf({"x", "tp", "gloo", 2, members}, {"tp", 1});
      for (const Collective& row : rows[rank]) {
        agreement.add(row, place.instance);
      }
      agreement.endRank(rank, groups);
      for (const LastCollective& call : last[rank]) {
        order.add(call, place.instance);
      }
      order.endRank(rank, groups);
    }
    return agreement.take(groups, present, endings, order);
  }

  JobGroups groups;
  std::vector<std::vector<Collective>> rows; ///< by rank
  std::array<std::vector<LastCollective>, 4> last;
};

/// Adds calls number `first` to `end` - 1 of the module of `ranks`' rows.
void addLast(std::vector<LastCollective>& last, uint64_t first, uint64_t end) {
  for (uint64_t sequence = first; sequence < end; ++sequence) {
    LastCollective call;
    call.sequence = sequence;
    call.module = "Net.layer";
    call.op = "c10d.allreduce_";
    call.kind = Kind::kAllReduce;
    last.push_back(call);
  }
}

/// Ranks 2 and 3 of a group were killed after 10 and 8 calls of one sequence.
AgreementRanks killedRanks() {
  AgreementRanks ranks;
  ranks.rows[3][0].count = 8;
  ranks.rows[3][0].bytes = 800;
  addLast(ranks.last[2], 5, 11);
  addLast(ranks.last[3], 5, 9);
  return ranks;
}

TEST_CASE("ranks with equal calls agree; other groups may differ") {
  AgreementRanks ranks;
  CHECK(ranks.judge().found == 0);
  ranks.rows[2][0].count = ranks.rows[3][0].count = 99;
  CHECK(ranks.judge().found == 0);
}

TEST_CASE("a missing call is found, with the counts of the ranks") {
  AgreementRanks ranks;
  ranks.rows[3][0].count = 9;
  const auto findings = ranks.judge();
  REQUIRE(findings.worst.size() == 1);
  const Disagreement& found = findings.worst[0];
  CHECK(found.what == What::kCount);
  CHECK(found.members == std::vector<uint32_t>{2, 3});
  CHECK(found.module == "Net.layer");
  CHECK(found.kind == Kind::kAllReduce);
  REQUIRE(found.values.size() == 2);
  CHECK(found.values[0].count == 10);
  CHECK(found.values[0].ranks == RankRanges{{2, 2}});
  CHECK(found.values[1].count == 9);
}

TEST_CASE("a rank without any calls is found; a rank without a report is not compared") {
  AgreementRanks ranks;
  ranks.rows[1].clear();
  REQUIRE(ranks.judge().found == 1);
  CHECK(ranks.judge().worst[0].values[1].count == 0);
  CHECK(ranks.judge({{0, 0}, {2, 3}}).found == 0);
}

TEST_CASE("payloads are compared, except in all_to_all") {
  AgreementRanks ranks;
  ranks.rows[1][0].bytes = 1001;
  REQUIRE(ranks.judge().found == 1);
  CHECK(ranks.judge().worst[0].what == What::kBytes);
  for (auto& row : ranks.rows) {
    row[0].kind = Kind::kAllToAll;
  }
  CHECK(ranks.judge().found == 0);
  ranks.rows[1][0].count = 11;
  REQUIRE(ranks.judge().found == 1);
  CHECK_FALSE(ranks.judge().worst[0].values[0].bytes);
}

TEST_CASE("equal calls for different modules are kModule, not kCount") {
  AgreementRanks ranks;
  ranks.rows[0][0].module = "Net.other";
  const auto findings = ranks.judge();
  CHECK(findings.found == 2);
  CHECK(findings.worst[0].what == What::kModule);
  ranks.rows[0][0].count = 9;
  CHECK(ranks.judge().worst[0].what == What::kCount);
}

TEST_CASE("legitimate differences are not disagreements") {
  AgreementRanks ranks;
  ranks.rows[0][0].async_op = AsyncOp::kYes;
  ranks.rows[0][0].issued_in = "Net";
  ranks.rows[0][0].lowered = {"x"};
  ranks.rows[0][0].module = "Net#2.layer"; // the second root that this rank called
  CHECK(ranks.judge().found == 0);
  Collective half = ranks.rows[1][0];
  half.count = 5;
  half.bytes = 500;
  ranks.rows[1] = {half, half};
  ranks.rows[1][1].async_op = AsyncOp::kYes;
  CHECK(ranks.judge().found == 0);
  ranks.rows[2][0].kind = Kind::kOther;
  ranks.rows[3].clear();
  CHECK(ranks.judge().found == 0);
}

TEST_CASE("a different reduction or dtype is a disagreement") {
  AgreementRanks ranks;
  ranks.rows[0][0].reduce_op = "max";
  CHECK(ranks.judge().found == 2);
  ranks.rows[0][0].reduce_op = "";
  ranks.rows[0][0].dtype = "float16";
  CHECK(ranks.judge().found == 2);
}

TEST_CASE("sends are compared with receives over the whole group") {
  AgreementRanks ranks;
  ranks.rows[0][0].kind = Kind::kSend;
  ranks.rows[1][0].kind = Kind::kRecv;
  CHECK(ranks.judge().found == 0);
  ranks.rows[1][0].count = 8;
  const auto findings = ranks.judge();
  REQUIRE(findings.found == 1);
  CHECK(findings.worst[0].what == What::kUnmatched);
  CHECK(findings.worst[0].values[0].count == 10);
  CHECK(findings.worst[0].values[1].count == 8);
  CHECK(ranks.judge({{0, 0}, {2, 3}}).found == 0);
}

TEST_CASE("the most severe come first, and only the most severe are kept") {
  AgreementRanks ranks;
  for (uint64_t i = 0; i < 3 * kMaxDisagreements; ++i) {
    Collective row = ranks.rows[0][0];
    row.module = "m" + std::to_string(i);
    row.count = 10 + i;
    ranks.rows[0].push_back(row);
    row.count = 10;
    ranks.rows[1].push_back(row);
  }
  const auto findings = ranks.judge();
  CHECK(findings.found == 3 * kMaxDisagreements - 1);
  REQUIRE(findings.worst.size() == kMaxDisagreements);
  CHECK(findings.worst[0].module == "m" + std::to_string(3 * kMaxDisagreements - 1));
}

TEST_CASE("ranks that were killed in one sequence are kStopped") {
  AgreementRanks ranks = killedRanks();
  const auto what = [&ranks](const JobEndings& endings) { return ranks.judge({{0, 3}}, endings).worst.at(0).what; };
  CHECK(what({{{2, 3}}, {}}) == What::kStopped);
  CHECK(what({{{3, 3}}, {}}) == What::kStopped);
  CHECK(what({}) == What::kCount);                   // ended by itself
  CHECK(what({{{2, 2}}, {}}) == What::kCount);       // only the rank ahead was killed
  CHECK(what({{{3, 3}}, {{2, 2}}}) == What::kCount); // rank 2 runs, or its watchdog ended it
}

TEST_CASE("killed ranks whose missing calls are not the last of the sequence disagree") {
  const JobEndings endings{{{2, 3}}, {}};
  AgreementRanks ranks = killedRanks();
  ranks.last[3].pop_back(); // lacks one more than the rows say
  CHECK(ranks.judge({{0, 3}}, endings).worst.at(0).what == What::kCount);
  ranks = killedRanks();
  ranks.last[2][5].module = "Net.other";
  CHECK(ranks.judge({{0, 3}}, endings).worst.at(0).what == What::kCount);
  ranks = killedRanks();
  ranks.last[3][0].op = "c10d.other"; // the order differs
  CHECK(ranks.judge({{0, 3}}, endings).worst.at(0).what == What::kCount);
  ranks = killedRanks();
  ranks.last[2].erase(ranks.last[2].begin(), ranks.last[2].begin() + 5); // number 9 is no longer known
  CHECK(ranks.judge({{0, 3}}, endings).worst.at(0).what == What::kCount);
}

TEST_CASE("a rank that was killed before its first call is kStopped") {
  AgreementRanks ranks = killedRanks();
  ranks.rows[2][0].count = 2;
  ranks.rows[3].clear();
  ranks.last[3].clear();
  ranks.last[2].clear();
  addLast(ranks.last[2], 1, 3);
  CHECK(ranks.judge({{0, 3}}, {{{2, 3}}, {}}).worst.at(0).what == What::kStopped);
}

TEST_CASE("sends of a group with a killed rank are not compared") {
  AgreementRanks ranks;
  ranks.rows[0][0].kind = Kind::kSend;
  ranks.rows[1][0].kind = Kind::kRecv;
  ranks.rows[1][0].count = 8;
  CHECK(ranks.judge({{0, 3}}, {{{1, 1}}, {}}).found == 0);
  CHECK(ranks.judge({{0, 3}}, {{{2, 2}}, {}}).found == 1);
}

TEST_CASE("a process without a rank is not compared") {
  JobGroups groups;
  JobAgreement agreement;
  const GroupPlace place = groups.placeOf({"x", "tp", "gloo", 2, {0, 1}}, {"tp", 1});
  agreement.add(AgreementRanks().rows[0][0], place.instance);
  agreement.dropRank();
  agreement.endRank(0, groups);
  CHECK(agreement.take(groups, {{0, 1}}, {}, JobOrder()).found == 0);
}

} // namespace
} // namespace commtap
