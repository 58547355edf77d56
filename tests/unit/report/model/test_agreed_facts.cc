// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/model.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

LastCollective reduceOf(uint64_t bytes) {
  LastCollective call;
  call.op = "c10d.reduce_";
  call.kind = Kind::kReduce;
  call.dtype = "float32";
  call.bytes = bytes;
  call.reduce_op = "sum";
  call.root = 0;
  return call;
}

TEST_CASE("each agreed fact distinguishes two collectives, and a module does not") {
  const LastCollective call = reduceOf(64);
  LastCollective other = call;
  other.module = "Net";
  other.phase = Phase::kForward;
  CHECK(agreedFacts(other) == agreedFacts(call));
  for (void (*change)(LastCollective&) : {
           +[](LastCollective& each) { each.op = "c10d.other"; },
           +[](LastCollective& each) { each.kind = Kind::kBroadcast; },
           +[](LastCollective& each) { each.dtype = "float16"; },
           +[](LastCollective& each) { each.bytes = 32; },
           +[](LastCollective& each) { each.root = 1; },
           +[](LastCollective& each) { each.reduce_op = "max"; },
       }) {
    LastCollective changed = call;
    change(changed);
    CHECK(agreedFacts(changed) != agreedFacts(call));
  }
}

TEST_CASE("payloads of a kind with uneven splits are not compared") {
  LastCollective one = reduceOf(64);
  LastCollective other = reduceOf(32);
  one.kind = other.kind = Kind::kAllToAll;
  CHECK(agreedFacts(one) == agreedFacts(other));
}

} // namespace
} // namespace commtap
