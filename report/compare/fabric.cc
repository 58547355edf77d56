// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/fabric.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "report/model/amounts.h"

namespace commtap {
namespace {

using nlohmann::json;

constexpr double kNsPerUs = 1000;

struct TestProgram {
  std::string_view name;
  Kind kind;
};
/// The programs of nccl-tests. A recv takes the time of its send.
constexpr std::array kPrograms = {
    TestProgram{"all_reduce_perf", Kind::kAllReduce},
    TestProgram{"all_gather_perf", Kind::kAllGather},
    TestProgram{"reduce_scatter_perf", Kind::kReduceScatter},
    TestProgram{"alltoall_perf", Kind::kAllToAll},
    TestProgram{"broadcast_perf", Kind::kBroadcast},
    TestProgram{"reduce_perf", Kind::kReduce},
    TestProgram{"gather_perf", Kind::kGather},
    TestProgram{"scatter_perf", Kind::kScatter},
    TestProgram{"sendrecv_perf", Kind::kSend},
};

std::optional<Kind> kindOfProgram(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const auto found = std::find_if(
      kPrograms.begin(), kPrograms.end(), [&name](const TestProgram& program) { return name == program.name; });
  return found == kPrograms.end() ? std::nullopt : std::optional(found->kind);
}

/// The ranks and nodes on which a test ran.
struct Devices {
  uint32_t ranks = 0;
  uint32_t nodes = 0;
};

/// The file lists one device of each process, the first.
Devices devicesOf(const json& config) {
  std::set<std::string> hosts;
  std::set<int64_t> groups;
  for (const json& device : config.at("devices")) {
    hosts.insert(device.at("hostname").get<std::string>());
    groups.insert(device.at("group").get<int64_t>());
  }
  if (groups.size() > 1) {
    throw std::invalid_argument("it measured several groups at once (NCCL_TESTS_SPLIT)");
  }
  const auto processes = static_cast<uint32_t>(config.at("devices").size());
  const auto per_process = config.at("nthreads").get<uint32_t>() * config.at("ngpus").get<uint32_t>();
  return {processes * per_process, static_cast<uint32_t>(hosts.size())};
}

/// Widens a range by the times of one way to run a test, in and out of place: by the middle 90 % of its iterations if
/// the file has each, else by their mean.
void widen(const json& result, const std::string& place, double& low_us, double& high_us) {
  if (!result.contains(place) || result[place].is_null()) {
    return;
  }
  const double mean = result[place].at("time").get<double>();
  low_us = std::min(low_us, mean);
  high_us = std::max(high_us, mean);
  if (const auto each = result.find(place + "_per_iter"); each != result.end()) {
    low_us = std::min(low_us, each->at("min_us").get<double>());
    high_us = std::max(high_us, each->at("p95_us").get<double>());
  }
}

/// Returns the bounds of the middle 80 % of durations, to the class of the histogram.
std::pair<double, double> middleOf(const Durations& durations) {
  constexpr double kOutside = 0.1;
  const double total = static_cast<double>(durations.count);
  double seen = 0;
  double low = static_cast<double>(durations.min_ns);
  double high = static_cast<double>(durations.max_ns);
  bool has_low = false;
  for (const auto& [from_ns, count] : durations.histogram) {
    seen += static_cast<double>(count);
    if (!has_low && seen >= kOutside * total) {
      low = std::max(low, static_cast<double>(from_ns));
      has_low = true;
    }
    if (seen >= (1 - kOutside) * total) {
      high = std::min(high, 2.0 * static_cast<double>(std::max<uint64_t>(from_ns, 1)));
      break;
    }
  }
  return {low, high};
}

/// Returns the hosts of a group's ranks; 0 if one is not known.
uint32_t hostsOf(const Group& group, const std::map<int64_t, std::string>& hosts) {
  std::set<std::string> used;
  for (const uint32_t rank : group.ranks) {
    const auto found = hosts.find(rank);
    if (found == hosts.end()) {
      return 0;
    }
    used.insert(found->second);
  }
  return static_cast<uint32_t>(used.size());
}

uint64_t sizeClass(double bytes) {
  return std::bit_floor(static_cast<uint64_t>(std::max(bytes, 1.0)));
}

std::string wholeText(double number) {
  return std::to_string(static_cast<uint64_t>(number));
}

std::string spanText(uint32_t ranks, uint32_t nodes) {
  return std::to_string(ranks) + " ranks on " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes");
}

} // namespace

void Fabric::addPoint(const Key& key, const Point& point, const std::string& source) {
  Curve& curve = curves_[key];
  curve.ranks = std::get<1>(key);
  curve.nodes = std::get<2>(key);
  if (curve.source.find(source) == std::string::npos) {
    curve.source += (curve.source.empty() ? "" : ", ") + source;
  }
  const auto place =
      std::lower_bound(curve.points.begin(), curve.points.end(), point.bytes, [](const Point& a, double bytes) {
        return a.bytes < bytes;
      });
  if (place != curve.points.end() && place->bytes == point.bytes) {
    place->low_ns = std::min(place->low_ns, point.low_ns);
    place->high_ns = std::max(place->high_ns, point.high_ns);
  } else {
    curve.points.insert(place, point);
  }
}

std::string Fabric::addNcclTests(std::string_view text, const std::string& source) {
  try {
    const json document = json::parse(text);
    const std::string program = document.at("args").at(0).get<std::string>();
    const std::optional<Kind> kind = kindOfProgram(program);
    if (!kind) {
      return program + " is no test of nccl-tests that is known";
    }
    const Devices devices = devicesOf(document.at("config"));
    for (const json& result : document.at("results")) {
      double low_us = std::numeric_limits<double>::infinity();
      double high_us = 0;
      widen(result, "out_of_place", low_us, high_us);
      widen(result, "in_place", low_us, high_us);
      if (const double bytes = result.at("size").get<double>(); bytes > 0 && high_us > 0) {
        addPoint({*kind, devices.ranks, devices.nodes}, {bytes, low_us * kNsPerUs, high_us * kNsPerUs}, source);
      }
    }
    return empty() ? "it has no results" : "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string Fabric::addRun(const std::vector<Report>& reports, const std::string& source) {
  std::map<int64_t, std::string> hosts;
  for (const Report& report : reports) {
    hosts.emplace(report.job.rank.value_or(-1), report.job.host);
  }
  std::map<std::pair<Key, uint64_t>, CollectiveTime> times; // by size class
  for (const Report& report : reports) {
    for (const Collective& row : report.collectives) {
      const Group* group = groupNamed(report, row.group);
      const uint32_t nodes = group == nullptr ? 0 : hostsOf(*group, hosts);
      if (nodes > 0 && row.sizes.size() == 1 && row.time.of(DurationKind::kRunning).count > 0) {
        times[{{row.kind, group->size, nodes}, row.sizes.begin()->first}] += row.time;
      }
    }
  }
  for (const auto& [key, time] : times) {
    const Durations& running = time.of(DurationKind::kRunning);
    const auto [low, high] = middleOf(running);
    const double bytes = static_cast<double>(time.bytes) / static_cast<double>(running.count);
    addPoint(key.first, {bytes, low, high}, source);
  }
  return times.empty() ? "it has no times: run the job with COMMTAP_TIMING=host or device" : "";
}

Fabric::Point Fabric::between(const std::vector<Point>& points, double bytes) {
  const Point& first = points.front();
  const Point& last = points.back();
  if (bytes <= first.bytes) { // less takes at most as long, and saves at most its share
    return {bytes, first.low_ns * bytes / first.bytes, first.high_ns};
  }
  if (bytes >= last.bytes) {
    return {bytes, last.low_ns, last.high_ns * bytes / last.bytes};
  }
  const auto above = std::find_if(points.begin(), points.end(), [bytes](const Point& p) { return p.bytes >= bytes; });
  const Point& a = *(above - 1);
  const Point& b = *above;
  const double part = (bytes - a.bytes) / (b.bytes - a.bytes);
  return {bytes, std::lerp(a.low_ns, b.low_ns, part), std::lerp(a.high_ns, b.high_ns, part)};
}

bool Fabric::Curve::covers(double bytes) const {
  return sizeClass(bytes) >= sizeClass(points.front().bytes) && sizeClass(bytes) <= sizeClass(points.back().bytes);
}

Fabric::Point Fabric::Curve::at(double bytes) const {
  return between(points, bytes);
}

double Fabric::Curve::error() const {
  double most = 0;
  for (size_t i = 1; i + 1 < points.size(); ++i) {
    const Point guess = between({points[i - 1], points[i + 1]}, points[i].bytes);
    const double measured = points[i].low_ns + points[i].high_ns;
    most = std::max(most, std::abs(guess.low_ns + guess.high_ns - measured) / measured);
  }
  return most;
}

std::vector<const Fabric::Curve*> Fabric::curvesFor(Kind kind, uint32_t ranks, uint32_t nodes) const {
  const Curve* below = nullptr; // the nearest numbers of ranks
  const Curve* above = nullptr;
  for (const auto& [key, curve] : curves_) {
    if (std::get<Kind>(key) != kind || (curve.nodes > 1) != (nodes > 1)) {
      continue;
    }
    if (isPointToPoint(kind) || (curve.ranks == ranks && curve.nodes == nodes)) { // two ranks take part in a send
      return {&curve};
    }
    if (curve.ranks <= ranks && curve.nodes <= nodes && (below == nullptr || curve.ranks > below->ranks)) {
      below = &curve;
    }
    if (curve.ranks >= ranks && curve.nodes >= nodes && (above == nullptr || curve.ranks < above->ranks)) {
      above = &curve;
    }
  }
  return below == nullptr || above == nullptr ? std::vector<const Curve*>() : std::vector{below, above};
}

std::string Fabric::measuredText(Kind kind) const {
  std::string spans;
  for (const auto& [key, curve] : curves_) {
    if (std::get<Kind>(key) == kind) {
      spans += (spans.empty() ? "with " : ", ") + spanText(curve.ranks, curve.nodes);
    }
  }
  return spans.empty() ? "never" : spans;
}

Prediction Fabric::predict(const Messages& messages) const {
  const Kind kind = messages.kind == Kind::kRecv ? Kind::kSend : messages.kind;
  Prediction prediction;
  prediction.low_ns = std::numeric_limits<double>::infinity();
  const std::vector<const Curve*> curves = curvesFor(kind, messages.group_size, messages.nodes);
  if (curves.empty()) {
    prediction.refused = std::string(kindName(kind)) + " of " + spanText(messages.group_size, messages.nodes) +
                         ": measured " + measuredText(kind);
    return prediction;
  }
  for (const Curve* curve : curves) {
    if (prediction.source.find(curve->source) == std::string::npos) {
      prediction.source += (prediction.source.empty() ? "" : ", ") + curve->source;
    }
    for (const uint64_t size : {messages.smallest, messages.largest}) {
      const double ratio = isPointToPoint(kind) ? 1
                                                : busBytes(kind, size, messages.group_size) /
                                                      std::max(busBytes(kind, size, curve->ranks), 1.0);
      const double bytes = static_cast<double>(size) * ratio;
      if (!curve->covers(bytes)) {
        prediction.refused = std::string(kindName(kind)) + " of " + std::to_string(size) + " bytes, " +
                             spanText(curve->ranks, curve->nodes) + ": measured from " +
                             wholeText(curve->points.front().bytes) + " to " + wholeText(curve->points.back().bytes) +
                             " bytes";
        return prediction;
      }
      const Point point = curve->at(bytes);
      prediction.error = std::max(prediction.error, curve->error());
      prediction.low_ns = std::min(prediction.low_ns, point.low_ns);
      prediction.high_ns = std::max(prediction.high_ns, point.high_ns);
    }
  }
  prediction.low_ns *= std::max(0.0, 1 - prediction.error);
  prediction.high_ns *= 1 + prediction.error;
  return prediction;
}

} // namespace commtap
