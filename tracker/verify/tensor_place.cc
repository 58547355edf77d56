// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/tensor_place.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

namespace commtap {
namespace {

int64_t countOf(std::span<const PlaceRange> ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), int64_t{0}, [](int64_t sum, const PlaceRange& range) {
    return sum + range.length;
  });
}

bool isAll(std::span<const PlaceRange> ranges, int64_t size) {
  return size == 0 ? countOf(ranges) == 0 : ranges.size() == 1 && ranges.front() == PlaceRange{0, size};
}

void append(PlaceRanges& ranges, PlaceRange added) {
  if (!ranges.empty() && ranges.back().start + ranges.back().length == added.start) {
    ranges.back().length += added.length;
  } else if (added.length > 0) {
    ranges.push_back(added);
  }
}

/// Returns the indices number `from` to `to` of all.
PlaceRanges slice(std::span<const PlaceRange> ranges, int64_t from, int64_t to) {
  PlaceRanges part;
  int64_t number = 0;
  for (const PlaceRange& range : ranges) {
    const int64_t begin = std::max(from - number, int64_t{0});
    const int64_t end = std::min(to - number, range.length);
    if (begin < end) {
      append(part, {range.start + begin, end - begin});
    }
    number += range.length;
  }
  return part;
}

/// Returns piece number `which` of torch.chunk(pieces).
PlaceRanges chunk(std::span<const PlaceRange> ranges, int64_t pieces, int64_t which) {
  const int64_t size = (countOf(ranges) + pieces - 1) / pieces;
  return slice(ranges, which * size, (which + 1) * size);
}

/// Returns the pieces number `which` of each of `factor` chunks.
PlaceRanges stridedChunk(std::span<const PlaceRange> ranges, int64_t factor, int64_t pieces, int64_t which) {
  PlaceRanges part;
  for (int64_t i = 0; i < factor; ++i) {
    for (const PlaceRange& range : chunk(chunk(ranges, factor, i), pieces, which)) {
      append(part, range);
    }
  }
  return part;
}

/// A placement that splits a dimension.
struct Split {
  size_t dim = 0;
  int64_t factor = 1; ///< of a _StridedShard
  int64_t pieces = 1;
  int64_t which = 0;
};

std::optional<int64_t> numberAfter(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  int64_t number = 0;
  const char* begin = at == std::string_view::npos ? nullptr : text.data() + at + name.size();
  const bool is_number =
      begin != nullptr && std::from_chars(begin, text.data() + text.size(), number).ec == std::errc();
  return is_number && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Reads the repr of a placement that splits; nullopt for any other.
std::optional<Split> splitOf(std::string_view text) {
  const bool is_strided = text.starts_with("_StridedShard(");
  const std::optional<int64_t> dim =
      is_strided || text.starts_with("Shard(") ? numberAfter(text, "dim=") : std::nullopt;
  const std::optional<int64_t> named = numberAfter(text, "sf=");
  const std::optional<int64_t> factor = named ? named : numberAfter(text, "split_factor=");
  if (!dim || (is_strided && factor.value_or(0) == 0)) {
    return std::nullopt;
  }
  return Split{.dim = static_cast<size_t>(*dim), .factor = is_strided ? *factor : 1};
}

/// Sorts a strided split behind the later splits of its dimension if it is one of what they leave.
void moveBehindLater(std::vector<Split>& splits) {
  for (size_t i = splits.size(); i-- > 0;) {
    int64_t later = 1;
    size_t last = i;
    for (size_t k = i + 1; k < splits.size(); ++k) {
      if (splits[k].dim == splits[i].dim) {
        later *= splits[k].pieces;
        last = k;
      }
    }
    if (splits[i].factor > 1 && splits[i].factor == later) {
      splits[i].factor = 1;
      std::rotate(
          splits.begin() + static_cast<std::ptrdiff_t>(i),
          splits.begin() + static_cast<std::ptrdiff_t>(i) + 1,
          splits.begin() + static_cast<std::ptrdiff_t>(last) + 1);
    }
  }
}

} // namespace

int64_t TensorPlace::elements() const {
  return std::accumulate(
      dims.begin(), dims.end(), int64_t{1}, [](int64_t product, const auto& dim) { return product * countOf(dim); });
}

bool TensorPlace::isWhole() const {
  return std::equal(dims.begin(), dims.end(), shape.begin(), shape.end(), isAll);
}

std::vector<int64_t> TensorPlace::numbers() const {
  std::vector<int64_t> numbers;
  for (size_t i = 0; !isWhole() && i < dims.size(); ++i) {
    numbers.push_back(static_cast<int64_t>(dims[i].size()));
    for (const PlaceRange& range : dims[i]) {
      numbers.insert(numbers.end(), {range.start, range.length});
    }
  }
  return numbers;
}

std::optional<PlacedShard> placeOfShard(const ShardFacts& facts) {
  constexpr size_t kMostMeshDims = 6; // bits of SampleRow::gradient_summed_over
  const size_t count = facts.placements.size();
  if (count != facts.mesh_shape.size() || count != facts.coordinate.size() || count > kMostMeshDims) {
    return std::nullopt;
  }
  PlacedShard placed{.place = {.shape = facts.shape}};
  for (const int64_t size : facts.shape) {
    placed.place.dims.push_back({{0, size}});
  }
  std::vector<Split> splits;
  for (size_t i = 0; i < count; ++i) {
    const std::string& placement = facts.placements[i];
    std::optional<Split> split = splitOf(placement);
    if (split && split->dim < facts.shape.size() && facts.mesh_shape[i] > 0 && facts.coordinate[i] >= 0) {
      split->pieces = facts.mesh_shape[i];
      split->which = facts.coordinate[i];
      splits.push_back(*split);
    } else if (placement == "Partial(sum)") {
      placed.summed_over |= static_cast<uint8_t>(1U << i);
    } else if (placement != "Replicate()") {
      return std::nullopt;
    }
  }
  moveBehindLater(splits);
  for (const Split& split : splits) {
    PlaceRanges& ranges = placed.place.dims[split.dim];
    ranges = split.factor == 1 ? chunk(ranges, split.pieces, split.which)
                               : stridedChunk(ranges, split.factor, split.pieces, split.which);
  }
  return placed;
}

TensorPlace flatPlace(int64_t whole, PlaceRange part) {
  return {.shape = {whole}, .dims = {part.length > 0 ? PlaceRanges{part} : PlaceRanges()}};
}

PlaceRuns::PlaceRuns(const TensorPlace* place, uint64_t parts) {
  if (place == nullptr || place->elements() == 0) {
    return;
  }
  uint64_t stride = parts;
  for (size_t dim = place->dims.size(); dim-- > 0;) {
    const bool is_outside = !ranges_.empty();
    if (is_outside) {
      outer_.insert(outer_.begin(), {.ranges = place->dims[dim], .stride = stride});
    } else if (!isAll(place->dims[dim], place->shape[dim])) {
      ranges_ = place->dims[dim];
      stride_ = stride;
    }
    stride *= static_cast<uint64_t>(place->shape[dim]);
  }
}

PlaceRun PlaceRuns::next() {
  if (ranges_.empty()) {
    return {0, std::numeric_limits<uint64_t>::max()};
  }
  uint64_t start = static_cast<uint64_t>(ranges_[range_].start) * stride_;
  for (const Outer& outer : outer_) {
    start += static_cast<uint64_t>(outer.ranges[outer.range].start + outer.offset) * outer.stride;
  }
  const uint64_t length = static_cast<uint64_t>(ranges_[range_].length) * stride_;
  if (++range_ == ranges_.size()) {
    range_ = 0;
    advance();
  }
  return {start, length};
}

/// Takes the next index of the innermost dimension outside of the runs that has one.
void PlaceRuns::advance() {
  for (size_t i = outer_.size(); i-- > 0;) {
    Outer& outer = outer_[i];
    if (++outer.offset < outer.ranges[outer.range].length) {
      return;
    }
    outer.offset = 0;
    outer.range = (outer.range + 1) % outer.ranges.size();
    if (outer.range != 0) {
      return;
    }
  }
}

} // namespace commtap
