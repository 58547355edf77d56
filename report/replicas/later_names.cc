// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/later_names.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace commtap {
namespace {

/// A row that an optimizer has, with its parameter.
struct Entry {
  const SampleRow* row = nullptr;
  const SampledParameter* facts = nullptr;
};

std::vector<Entry> entriesOf(const ProcessSamples& process, const Sample& sample) {
  std::vector<Entry> entries;
  for (const SampleRow& row : sample.rows) {
    if (row.parameter < process.parameters.size() && process.parameters[row.parameter].is_in_optimizer) {
      entries.push_back({&row, &process.parameters[row.parameter]});
    }
  }
  return entries;
}

bool haveNames(const std::vector<Entry>& entries) {
  return !entries.empty() &&
         std::all_of(entries.begin(), entries.end(), [](const Entry& entry) { return entry.facts->has_model_name; });
}

bool areAlike(const std::vector<Entry>& a, const std::vector<Entry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Entry& one, const Entry& other) {
    return one.facts->local_shape == other.facts->local_shape && one.facts->dtype == other.facts->dtype;
  });
}

} // namespace

std::map<const SampleRow*, const SampledParameter*> laterNames(const ProcessSamples& process) {
  std::map<const SampleRow*, const SampledParameter*> names;
  std::map<uint32_t, std::vector<Entry>> named; // the next sample of each optimizer, from the last one on
  for (auto sample = process.samples.rbegin(); sample != process.samples.rend(); ++sample) {
    std::vector<Entry> entries = entriesOf(process, *sample);
    if (haveNames(entries)) {
      named[sample->optimizer] = std::move(entries);
      continue;
    }
    const std::vector<Entry>& later = named[sample->optimizer];
    for (size_t i = 0; areAlike(entries, later) && i < entries.size(); ++i) {
      if (!entries[i].facts->has_model_name) {
        names[entries[i].row] = later[i].facts;
      }
    }
  }
  return names;
}

} // namespace commtap
