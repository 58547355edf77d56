// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/metrics/exposition.h"

#include <algorithm>

#include <fmt/format.h>

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

} // namespace commtap
