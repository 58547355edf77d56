// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/hang/message_match.h"

#include <doctest/doctest.h>

#include "tests/unit/hang_samples.h"

namespace commtap {
namespace {

TEST_CASE("a channel has the sends and receives of one direction, in their order") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1).bytes = 1;
  job.message(0, Kind::kRecv, 1).bytes = 2;
  job.message(0, Kind::kSend, 1).bytes = 3;
  job.message(1, Kind::kRecv, 0).bytes = 1;
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const std::vector<Channel> channels = channelsOf(groups.all()[0]);
  REQUIRE(channels.size() == 2);
  CHECK(channels[0].sender->rank == 0);
  CHECK(channels[0].receiver->rank == 1);
  REQUIRE(channels[0].sent.size() == 2);
  CHECK(channels[0].sent[1]->bytes == 3);
  CHECK(channels[0].received.size() == 1);
  CHECK(channels[1].sender->rank == 1);
  CHECK(channels[1].sent.empty());
  CHECK(channels[1].received.size() == 1);
}

TEST_CASE("a rank whose report lacks messages, or their peers, has no channels") {
  HangJob job(2);
  job.message(0, Kind::kSend, 1);
  job.report(1).groups.front().point_to_point = 3;
  const std::vector<RankSight> lacking = job.sights();
  CHECK(channelsOf(HangGroups(lacking).all()[0]).empty());
  HangJob any(2);
  any.message(0, Kind::kSend, 1);
  any.message(1, Kind::kRecv, 0).peer.reset();
  const std::vector<RankSight> from_any = any.sights();
  CHECK(channelsOf(HangGroups(from_any).all()[0]).empty());
}

TEST_CASE("the other side of a message has the other kind, and the rank, payload and dtype of the message") {
  HangJob job(3);
  const LastCollective sent = job.message(1, Kind::kSend, 2);
  const LastCollective received = job.message(2, Kind::kRecv, 1);
  const std::vector<RankSight> sights = job.sights();
  const HangGroups groups(sights);
  const HangGroup& world = groups.all()[0];
  CHECK(isCounterpart(world, 1, sent, received));
  CHECK(isCounterpart(world, 2, received, sent));
  CHECK_FALSE(isCounterpart(world, 0, sent, received));
  CHECK_FALSE(isCounterpart(world, 1, sent, sent));
  LastCollective larger = received;
  larger.bytes *= 2;
  CHECK_FALSE(isCounterpart(world, 1, sent, larger));
}

} // namespace
} // namespace commtap
