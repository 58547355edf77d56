// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampled_parameter.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

CommtapSampledParameter plain() {
  CommtapSampledParameter facts{};
  facts.name = "Net.w";
  facts.shape = facts.local_shape = "[6,4]";
  facts.dtype = "float32";
  facts.mesh = facts.placements = facts.coordinate = facts.ddp_ranks = facts.gradient_placements = facts.flat_shape =
      "";
  facts.tensor_model_parallel = facts.sequence_parallel = facts.allreduce = -1;
  return facts;
}

CommtapSampledParameter sharded() {
  CommtapSampledParameter facts = plain();
  facts.local_shape = "[3,4]";
  facts.mesh = R"({"dim_names":["tp"],"shape":[2],"ranks":[0,1]})";
  facts.placements = "[\"Shard(dim=0)\"]";
  facts.coordinate = "[1]";
  return facts;
}

TEST_CASE("a plain parameter is the whole, and a DTensor a part of it") {
  CHECK(placeOfParameter(plain())->isWhole());
  CHECK(placeOfParameter(plain())->elements() == 24);
  CHECK(placeOfParameter(sharded())->numbers() == std::vector<int64_t>{1, 3, 3, 1, 0, 4});
}

TEST_CASE("shards whose place is not declared have none") {
  CommtapSampledParameter facts = plain();
  facts.tensor_model_parallel = 1;
  CHECK_FALSE(placeOfParameter(facts));
  facts = plain();
  facts.is_fsdp1_flat = 1;
  CHECK_FALSE(placeOfParameter(facts));
  facts = sharded();
  facts.placements = "[\"Partial(sum)\"]";
  CHECK_FALSE(placeOfParameter(facts));
  facts.placements = "[\"Odd(dim=0)\"]";
  CHECK_FALSE(placeOfParameter(facts));
}

TEST_CASE("a part of an FSDP1 flat parameter has its place in the original") {
  CommtapSampledParameter facts = plain();
  facts.is_fsdp1_flat = 1;
  facts.local_shape = facts.shape = "[10]";
  facts.flat_shape = "[6,4]";
  facts.flat_start = 5;
  CHECK(placeOfParameter(facts)->numbers() == std::vector<int64_t>{1, 5, 10});
  CHECK(sampledParameter(0, facts).shape == std::vector<int64_t>{6, 4});
  CommtapSampledParameter other = facts;
  other.flat_start = 6;
  CHECK(parameterKey(0, facts) != parameterKey(0, other));
}

TEST_CASE("a gradient has the place of the parameter, or of the whole, or none") {
  CommtapSampledParameter facts = sharded();
  const std::optional<TensorPlace> place = placeOfParameter(facts);
  CHECK(placeOfGradient(facts, place)->place.numbers() == place->numbers()); // a plain tensor of the local one's shape
  facts.gradient_placements = "[\"Shard(dim=0)\"]";
  CHECK(placeOfGradient(facts, place)->summed_over == 0);
  facts.gradient_placements = "[\"Partial(sum)\"]";
  CHECK(placeOfGradient(facts, place)->summed_over == 1);
  CHECK(placeOfGradient(facts, place)->place.isWhole());
  facts.gradient_placements = "[\"Shard(dim=1)\"]";
  CHECK_FALSE(placeOfGradient(facts, place));
  facts.gradient_placements = "[]"; // of another mesh
  CHECK_FALSE(placeOfGradient(facts, place));
  CHECK_FALSE(placeOfGradient(plain(), std::nullopt));
}

} // namespace
} // namespace commtap
