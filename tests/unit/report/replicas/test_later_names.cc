// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/later_names.h"

#include <doctest/doctest.h>

#include "tests/unit/verify_samples.h"

namespace commtap {
namespace {

/// Samples two parameters in a first step by their places, and in two further ones by their names.
ProcessSamples processWithPlaces() {
  ProcessSamples process;
  for (const char* name : {"optimizer0.group0.0", "optimizer0.group0.1", "Net.a", "Net.b"}) {
    SampledParameter& parameter = process.parameters.emplace_back();
    parameter.name = name;
    parameter.has_model_name = parameter.name.starts_with("Net");
    parameter.local_shape = {parameter.name.ends_with("0") || parameter.name.ends_with("a") ? 4 : 8};
  }
  for (const uint32_t first : {0U, 2U, 2U}) {
    Sample& sample = process.samples.emplace_back();
    sample.step = process.samples.size();
    sample.rows.resize(2);
    sample.rows[0].parameter = first;
    sample.rows[1].parameter = first + 1;
  }
  return process;
}

TEST_CASE("parameters that are known by their place get the names of the next sample") {
  const ProcessSamples process = processWithPlaces();
  const auto names = laterNames(process);
  REQUIRE(names.size() == 2);
  CHECK(names.at(process.samples[0].rows.data())->name == "Net.a");
  CHECK(names.at(&process.samples[0].rows[1])->name == "Net.b");
}

TEST_CASE("places keep their names if later parameters have other shapes, or no names") {
  ProcessSamples other = processWithPlaces();
  other.parameters[3].local_shape = {9};
  CHECK(laterNames(other).empty());
  ProcessSamples masters = processWithPlaces();
  masters.samples.resize(1);
  CHECK(laterNames(masters).empty());
  CHECK(laterNames({}).empty());
}

} // namespace
} // namespace commtap
