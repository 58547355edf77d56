// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/time_json.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "report/json/fields.h"
#include "report/json/json_write.h"

namespace commtap {
namespace {

using nlohmann::ordered_json;

ordered_json histogramJson(const std::map<uint64_t, uint64_t>& histogram) {
  ordered_json object = ordered_json::object();
  for (const auto& [from, count] : histogram) {
    object[std::to_string(from)] = count;
  }
  return object;
}

ordered_json toJson(const Durations& durations) {
  return {
      {field::kCount, durations.count},
      {field::kSum, durations.sum_ns},
      {field::kMin, durations.min_ns},
      {field::kMax, durations.max_ns},
      {field::kHistogram, histogramJson(durations.histogram)},
  };
}

Durations durationsFrom(const JsonCursor& cursor) {
  return {
      cursor.number<uint64_t>(field::kCount),
      cursor.number<uint64_t>(field::kSum),
      cursor.number<uint64_t>(field::kMin),
      cursor.number<uint64_t>(field::kMax),
      histogramFrom(cursor.at(field::kHistogram), "duration")};
}

} // namespace

std::map<uint64_t, uint64_t> histogramFrom(const JsonCursor& cursor, const char* of_what) {
  std::map<uint64_t, uint64_t> histogram;
  for (const auto& [text, count] : cursor.value().items()) {
    const uint64_t from = std::strtoull(text.c_str(), nullptr, 10);
    if (std::to_string(from) != text || !count.is_number_unsigned()) {
      throw std::runtime_error(
          cursor.path() + " has \"" + text.substr(0, 40) + "\", which is no " + of_what + " with a count");
    }
    histogram[from] = count.get<uint64_t>();
  }
  return histogram;
}

ordered_json timeJson(const CollectiveTime& time) {
  ordered_json object = ordered_json::object();
  for (int i = 0; i < kDurationKindCount; ++i) {
    if (time.durations[i].count > 0) {
      object[std::string(durationName(static_cast<DurationKind>(i)))] = toJson(time.durations[i]);
    }
  }
  if (time.bytes > 0 && time.of(DurationKind::kRunning).sum_ns > 0) { // a barrier has no bandwidth
    object[field::kTimedBytes] = time.bytes;
    object[field::kTimedBusBytes] = numberJson(time.bus_bytes);
    object[field::kAlgbw] = numberJson(time.algorithmBandwidth());
    object[field::kBusbw] = numberJson(time.busBandwidth());
  }
  return object;
}

CollectiveTime timeFrom(const JsonCursor& cursor) {
  CollectiveTime time;
  for (int i = 0; i < kDurationKindCount; ++i) {
    const std::string name(durationName(static_cast<DurationKind>(i)));
    if (cursor.has(name.c_str())) {
      time.durations[i] = durationsFrom(cursor.at(name.c_str()));
    }
  }
  if (cursor.has(field::kTimedBytes)) {
    time.bytes = cursor.number<uint64_t>(field::kTimedBytes);
    time.bus_bytes = cursor.at(field::kTimedBusBytes).as<double>("a number");
  }
  return time;
}

} // namespace commtap
