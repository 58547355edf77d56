// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/graph_lines.h"

#include <algorithm>
#include <charconv>

#include "tracker/torch/function_names.h"

namespace commtap {
namespace {

/// Takes the text up to `end` off the front, and `end`.
std::string_view takeUpTo(std::string_view& text, char end) {
  const size_t size = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return taken;
}

template <typename Number = uint32_t>
std::optional<Number> numberOf(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional<Number>(number) : std::nullopt;
}

} // namespace

std::optional<GraphPlace> parsePlace(std::string_view text) {
  std::string_view sizes = takeUpTo(text, '\t');
  const std::string_view phase = takeUpTo(sizes, ' ');
  if (phase.size() != 1 || std::string_view("fborB").find(phase) == std::string_view::npos) {
    return std::nullopt;
  }
  GraphPlace place;
  place.is_only_forward = phase == "o";
  place.is_region = phase == "r";
  place.backward = phase == "b" || phase == "B";
  place.has_modules = phase != "B";
  while (!sizes.empty()) {
    const std::optional<uint64_t> size = numberOf<uint64_t>(takeUpTo(sizes, ' '));
    if (!size) {
      return std::nullopt;
    }
    place.sizes.push_back(*size);
  }
  while (!text.empty()) {
    place.sources.emplace_back(takeUpTo(text, '\t'));
  }
  const bool is_complete = place.is_region ? place.sizes.empty() && (place.sources.empty() || place.sources.size() == 2)
                                           : place.sizes.empty() || place.sizes.size() == place.sources.size();
  return is_complete ? std::optional(place) : std::nullopt;
}

GraphPlace placeInCall(GraphPlace place, const GraphPlace& call) {
  for (std::string& source : place.sources) {
    if (call.sources.empty() || !torch_names::isBelow(source, call.sources.front())) {
      place.is_known = false;
      return place;
    }
    source.replace(0, call.sources.front().size(), call.sources.back());
  }
  return place;
}

std::optional<GraphLines> GraphLines::parse(std::string_view text) {
  GraphLines lines;
  if (!text.empty() && text.back() != '\n') {
    return std::nullopt;
  }
  while (!text.empty()) {
    std::string_view line = takeUpTo(text, '\n');
    const std::optional<uint32_t> first = numberOf(takeUpTo(line, '\t'));
    const std::optional<uint32_t> last = numberOf(takeUpTo(line, '\t'));
    std::optional<GraphPlace> place = parsePlace(line);
    if (!first || !last || !place) {
      return std::nullopt;
    }
    lines.ranges_.push_back({*first, *last, std::move(*place)});
  }
  return lines;
}

std::optional<GraphPlace> GraphLines::at(uint32_t line) const {
  for (const Range& range : ranges_) {
    if (range.first <= line && line <= range.last) {
      return range.place;
    }
  }
  return std::nullopt;
}

} // namespace commtap
