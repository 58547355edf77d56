// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/exposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "tools/text/text.h"

namespace commtap {

bool SeriesLimit::admit(const std::string& owner, const std::string& labels) {
  Owner& series = owners_[owner];
  series.used = true;
  if (series.admitted.size() < per_owner_) {
    series.admitted.insert(labels);
    return true;
  }
  return series.admitted.contains(labels);
}

void SeriesLimit::forgetUnused() {
  std::erase_if(owners_, [](const auto& owner) { return !owner.second.used; });
  for (auto& [name, owner] : owners_) {
    owner.used = false;
  }
}

namespace {

/// Escapes help texts and label values, which hold no line breaks.
std::string escapedLabel(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
  }
  return safe;
}

/// Escapes a help text: the text format 0.0.4 does not escape quotes there.
std::string escapedHelp(std::string_view text, Dialect dialect) {
  return dialect == Dialect::kOpenMetrics ? escapedLabel(text) : std::string(text);
}

std::string metadataOf(const MetricRow& row, Dialect dialect) {
  const bool open_metrics = dialect == Dialect::kOpenMetrics;
  const std::string name = open_metrics ? std::string(row.name) : row.sampleName();
  const bool known_type = open_metrics || row.type != MetricType::kInfo;
  std::string text = fmt::format("# TYPE {} {}\n", name, known_type ? metricTypeName(row.type) : "gauge");
  if (open_metrics && !row.unit.empty()) {
    text += fmt::format("# UNIT {} {}\n", name, row.unit);
  }
  return text + fmt::format("# HELP {} {}\n", name, escapedHelp(row.help, dialect));
}

} // namespace

std::string_view contentType(Dialect dialect) {
  return dialect == Dialect::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                          : "text/plain; version=0.0.4; charset=utf-8";
}

MetricLabels MetricLabels::with(std::initializer_list<Pair> more) const {
  MetricLabels labels = *this;
  for (const auto& [name, value] : more) {
    if (!value.empty()) {
      labels.text_ += fmt::format("{}{}=\"{}\"", labels.text_.empty() ? "" : ",", name, escapedLabel(inert(value)));
    }
  }
  return labels;
}

std::vector<std::pair<std::string, std::string>> labelPairs(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const size_t quote = text.find('"');
    std::string& value = pairs.emplace_back(text.substr(0, quote - 1), "").second;
    size_t at = quote + 1;
    for (; text[at] != '"'; ++at) {
      at += text[at] == '\\' ? 1 : 0;
      value += text[at];
    }
    text.remove_prefix(std::min(at + 2, text.size())); // the quote and a comma
  }
  return pairs;
}

void Exposition::add(MetricId id, const std::string& labels, uint64_t value) {
  samples_[static_cast<size_t>(id)].push_back({labels, std::to_string(value)});
  saturated_[static_cast<size_t>(id)] |= value == UINT64_MAX;
}

void Exposition::add(MetricId id, const std::string& labels, double value) {
  samples_[static_cast<size_t>(id)].push_back({labels, fmt::format("{}", value)});
}

void Exposition::addNs(MetricId id, const std::string& labels, uint64_t ns) {
  add(id, labels, static_cast<double>(ns) / 1e9);
  saturated_[static_cast<size_t>(id)] |= ns == UINT64_MAX;
}

std::vector<std::string> Exposition::saturated() const {
  std::vector<std::string> names;
  for (const MetricRow& row : metricTable()) {
    if (saturated_[static_cast<size_t>(row.id)]) {
      names.push_back(row.sampleName());
    }
  }
  return names;
}

std::string Exposition::text(Dialect dialect) const {
  std::string text;
  for (const MetricRow& row : metricTable()) {
    const std::vector<Sample>& samples = samples_[static_cast<size_t>(row.id)];
    if (samples.empty()) {
      continue;
    }
    text += metadataOf(row, dialect);
    const std::string name = row.sampleName();
    for (const Sample& sample : samples) {
      text += name;
      text += sample.labels.empty() ? "" : "{" + sample.labels + "}";
      text += " " + sample.value + "\n";
    }
  }
  return dialect == Dialect::kOpenMetrics ? text + "# EOF\n" : text;
}

namespace {

using Json = nlohmann::ordered_json;
using LabelPairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kCumulative = 2;       // AggregationTemporality of opentelemetry-proto
constexpr double kUsPerSecond = 1e6; // reports have no finer time
constexpr uint64_t kNsPerUs = 1000;

bool isOfResource(const std::string& name) {
  return name == "run_id" || name == "attempt" || name == "rank";
}

/// The labels of a sample: those of its resource, and those of its data point.
struct SplitLabels {
  LabelPairs resource;
  LabelPairs point;
};

SplitLabels split(const std::string& text) {
  SplitLabels labels;
  for (auto& [name, value] : labelPairs(text)) {
    const bool is_of_resource = isOfResource(name);
    (is_of_resource ? labels.resource : labels.point).emplace_back(std::move(name), std::move(value));
  }
  return labels;
}

/// Protobuf's JSON has integers of 64 bits as texts.
Json attribute(const std::string& name, const std::string& value) {
  const bool is_number = name == "commtap.attempt" || name == "commtap.rank";
  return {{"key", name}, {"value", {{is_number ? "intValue" : "stringValue", value}}}};
}

Json resourceOf(const LabelPairs& labels, const std::string& host) {
  Json attributes = Json::array();
  attributes.push_back(attribute("service.name", "commtap"));
  attributes.push_back(attribute("host.name", host));
  for (const auto& [name, value] : labels) {
    attributes.push_back(attribute("commtap." + name, value));
  }
  return {{"attributes", std::move(attributes)}};
}

void setValue(Json& point, const std::string& text) {
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) {
    point["asInt"] = text;
  } else {
    point["asDouble"] = std::stod(text);
  }
}

std::string_view ucum(std::string_view unit) {
  return unit == "bytes" ? "By" : unit == "seconds" ? "s" : "1";
}

Json metricOf(const MetricRow& row, Json points) {
  Json metric = {{"name", row.name}, {"description", row.help}, {"unit", ucum(row.unit)}};
  if (row.type == MetricType::kCounter) {
    metric["sum"] = {{"dataPoints", std::move(points)}, {"aggregationTemporality", kCumulative}, {"isMonotonic", true}};
  } else {
    metric["gauge"] = {{"dataPoints", std::move(points)}};
  }
  return metric;
}

/// Collects metrics into requests of limited size.
class Requests {
 public:
  explicit Requests(const OtlpContext& context) : context_(context) {}

  void add(const LabelPairs& resource, const MetricRow& row, const std::vector<Json>& points) {
    for (size_t at = 0; at < points.size();) {
      if (points_ >= context_.max_points) {
        finish();
      }
      const size_t count = std::min(points.size() - at, context_.max_points - points_);
      Json part(
          std::vector<Json>(points.begin() + static_cast<long>(at), points.begin() + static_cast<long>(at + count)));
      metricsOf(resource).push_back(metricOf(row, std::move(part)));
      at += count;
      points_ += count;
    }
  }

  std::vector<std::string> take() {
    finish();
    return std::move(bodies_);
  }

 private:
  Json& metricsOf(const LabelPairs& resource) {
    if (resources_.empty() || current_ != resource) {
      const Json scope = {{"scope", {{"name", "commtap"}, {"version", COMMTAP_VERSION}}}, {"metrics", Json::array()}};
      resources_.push_back({{"resource", resourceOf(resource, context_.host)}, {"scopeMetrics", Json::array({scope})}});
      current_ = resource;
    }
    return resources_.back()["scopeMetrics"][0]["metrics"];
  }

  void finish() {
    if (!resources_.empty()) {
      bodies_.push_back(Json{{"resourceMetrics", std::move(resources_)}}.dump());
    }
    resources_ = Json::array();
    points_ = 0;
  }

  const OtlpContext& context_;
  std::vector<std::string> bodies_;
  Json resources_ = Json::array();
  LabelPairs current_;
  size_t points_ = 0;
};

/// When each rank's first process started, in ns since 1970 as a text.
std::map<LabelPairs, std::string> startsOf(const Exposition& exposition) {
  std::map<LabelPairs, std::string> starts;
  for (const Exposition::Sample& sample : exposition.samples(MetricId::kProcessStart)) {
    const auto us = static_cast<uint64_t>(std::llround(std::stod(sample.value) * kUsPerSecond));
    starts[split(sample.labels).resource] = std::to_string(us * kNsPerUs);
  }
  return starts;
}

} // namespace

std::vector<std::string> otlpRequests(const Exposition& exposition, const OtlpContext& context) {
  const std::map<LabelPairs, std::string> starts = startsOf(exposition);
  std::map<LabelPairs, std::map<MetricId, std::vector<Json>>> resources;
  for (const MetricRow& row : metricTable()) {
    for (const Exposition::Sample& sample : exposition.samples(row.id)) {
      SplitLabels labels = split(sample.labels);
      Json point = Json::object();
      for (const auto& [name, value] : labels.point) {
        point["attributes"].push_back(attribute(name, value));
      }
      const auto start = starts.find(labels.resource);
      if (row.type == MetricType::kCounter && start != starts.end()) {
        point["startTimeUnixNano"] = start->second;
      }
      point["timeUnixNano"] = std::to_string(context.now_ns);
      setValue(point, sample.value);
      resources[std::move(labels.resource)][row.id].push_back(std::move(point));
    }
  }
  Requests requests(context);
  for (const auto& [resource, metrics] : resources) {
    for (const auto& [id, points] : metrics) {
      requests.add(resource, metricRow(id), points);
    }
  }
  return requests.take();
}

} // namespace commtap
