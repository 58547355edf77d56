// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/verify_samples.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "report/runs/report_paths.h"
#include "report/samples/samples_writer.h"

#include "tracker/verify/digest.h"

namespace commtap {
namespace {

Digest digestOf(const std::vector<float>& numbers, const std::optional<TensorPlace>& place) {
  return digestOf(numbers.data(), numbers.size(), DigestType::kFloat32, PlaceRuns(place ? &*place : nullptr, 1));
}

} // namespace

std::vector<float> noise(uint32_t seed, size_t count) {
  std::mt19937 random(seed);
  std::vector<float> numbers(count);
  std::generate(numbers.begin(), numbers.end(), [&random] {
    return static_cast<float>(random()) / static_cast<float>(std::mt19937::max()) * 2 - 1;
  });
  return numbers;
}

std::vector<float> rounded(const std::vector<float>& numbers, float by, uint32_t seed) {
  std::vector<float> changed = noise(seed, numbers.size());
  std::transform(numbers.begin(), numbers.end(), changed.begin(), changed.begin(), [by](float number, float change) {
    return number * (1 + by * change);
  });
  return changed;
}

// Each job starts at another time: a run is not compared with itself.
VerifyJob::VerifyJob(int64_t ranks) : ranks_(static_cast<size_t>(ranks)), processes_(static_cast<size_t>(ranks)) {
  static uint64_t started_at_ns = 0;
  started_at_ns += 1'000'000'000;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    Job& job = processes_[static_cast<size_t>(rank)].job;
    job.run_id = "made-up";
    job.started_at_ns = started_at_ns;
    job.rank = rank;
    job.world_size = ranks;
  }
}

VerifyJob::MadeParameter& VerifyJob::add(int64_t rank, const std::string& name, std::vector<float> value) {
  MadeParameter& made = ranks_.at(static_cast<size_t>(rank))[name];
  made.facts.name = name;
  made.facts.dtype = "float32";
  made.facts.shape = made.facts.local_shape = {static_cast<int64_t>(value.size())};
  made.value = std::move(value);
  return made;
}

void VerifyJob::addOnAll(const std::string& name, const std::vector<float>& value) {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    add(static_cast<int64_t>(rank), name, value);
  }
}

VerifyJob::MadeParameter& VerifyJob::at(int64_t rank, const std::string& name) {
  return ranks_.at(static_cast<size_t>(rank)).at(name);
}

void VerifyJob::gradient(const std::string& name, uint32_t seed, uint32_t rank_seed) {
  onAll(name, [&](MadeParameter& made, int64_t rank) {
    made.gradient = noise(seed + static_cast<uint32_t>(rank) * rank_seed, made.value.size());
  });
}

void VerifyJob::step(uint64_t number, const std::vector<int64_t>& skipping) {
  for (int64_t rank = 0; rank < static_cast<int64_t>(ranks_.size()); ++rank) {
    if (std::find(skipping.begin(), skipping.end(), rank) == skipping.end()) {
      sample(rank, number);
      update(rank);
    }
  }
}

void VerifyJob::sample(int64_t rank, uint64_t number) {
  ProcessSamples& process = processes_.at(static_cast<size_t>(rank));
  Sample& sample = process.samples.emplace_back();
  sample.step = number;
  for (const auto& [name, made] : ranks_[static_cast<size_t>(rank)]) {
    const auto known = std::find_if(process.parameters.begin(), process.parameters.end(), [&made](const auto& facts) {
      return facts.name == made.facts.name;
    });
    SampleRow& row = sample.rows.emplace_back();
    row.parameter = static_cast<uint32_t>(known - process.parameters.begin());
    if (known == process.parameters.end()) {
      process.parameters.push_back(made.facts);
    }
    row.value = digestOf(made.value, made.place);
    row.has_gradient = made.gradient.has_value();
    row.gradient = made.gradient ? digestOf(*made.gradient, made.place) : Digest();
    row.is_gradient_partial = made.is_partial;
    row.has_sums = made.has_sums;
  }
}

void VerifyJob::write(const std::string& folder) {
  for (ProcessSamples& process : processes_) {
    SamplesWriter writer;
    const std::string name = process.job.run_id + "." + std::to_string(process.job.attempt) + "." +
                             std::to_string(process.job.rank.value_or(0));
    process.job.started_at_ns = std::max<uint64_t>(process.job.started_at_ns, 1'000'000'000);
    REQUIRE(writer.create(folder + "/" + name, kSamplesEnding, process.job).empty());
    const std::vector<SampledParameter> none;
    for (size_t i = 0; i < process.samples.size(); ++i) {
      REQUIRE(writer.append(i == 0 ? process.parameters : none, process.samples[i]).empty());
    }
  }
}

void VerifyJob::update(int64_t rank) {
  constexpr float kRate = 0.1F;
  for (auto& [name, made] : ranks_[static_cast<size_t>(rank)]) {
    for (size_t i = 0; made.gradient && i < made.value.size(); ++i) {
      made.value[i] -= kRate * (*made.gradient)[i];
    }
  }
}

} // namespace commtap
