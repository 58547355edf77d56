// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace commtap {

/// Indices one after the other.
struct PlaceRange {
  int64_t start = 0;
  int64_t length = 0;

  bool operator==(const PlaceRange&) const = default;
};
using PlaceRanges = std::vector<PlaceRange>;

/// The part of a whole tensor that a local one is: the indices that it has of each dimension, in its own order.
struct TensorPlace {
  std::vector<int64_t> shape; ///< of the whole
  std::vector<PlaceRanges> dims;

  /// Returns how many elements the part has.
  int64_t elements() const;
  /// Returns whether it is the whole, in its order.
  bool isWhole() const;
  /// Returns for each dimension the number of ranges, then the start and length of each; empty for the whole.
  std::vector<int64_t> numbers() const;
};

/// The facts of a DTensor that place its local tensor.
struct ShardFacts {
  std::vector<int64_t> shape; ///< of the whole
  std::vector<int64_t> mesh_shape;
  std::vector<int64_t> coordinate;     ///< of this rank in the mesh
  std::vector<std::string> placements; ///< one per dimension of the mesh: "Shard(dim=0)"
};

/// The place of a local tensor, and the dimensions of the mesh over which it is a part of a sum: bit i for dimension i.
struct PlacedShard {
  TensorPlace place;
  uint8_t summed_over = 0;
};

/// Returns the place of a local tensor; nullopt if it is not known: a placement of another kind, or a part of anything
/// but a sum. Splits as torch.chunk() does. A `_StridedShard` whose factor is that of the later shards of its dimension
/// is a shard of theirs, as FSDP2 makes it of a tensor parallel one.
std::optional<PlacedShard> placeOfShard(const ShardFacts& facts);

/// Returns the place of elements of a whole tensor, in its row-major order.
TensorPlace flatPlace(int64_t whole, PlaceRange part);

/// Elements of a local tensor, in its row-major order, that also follow one another in the whole one.
struct PlaceRun {
  uint64_t start = 0; ///< index in the whole
  uint64_t length = 0;
};

/// Returns the runs of a place one after the other; without a place, one without an end.
class PlaceRuns {
 public:
  PlaceRuns() = default;
  /// `place` outlives the object; nullptr for none. `parts`: numbers per element, which follow one another.
  PlaceRuns(const TensorPlace* place, uint64_t parts);

  /// Returns the next run. Call it only for elements that the place has.
  PlaceRun next();

 private:
  void advance();

  /// An index of a dimension outside of the runs.
  struct Outer {
    std::span<const PlaceRange> ranges;
    uint64_t stride = 0;
    size_t range = 0;
    int64_t offset = 0;
  };

  std::vector<Outer> outer_; ///< the innermost last
  std::span<const PlaceRange> ranges_;
  uint64_t stride_ = 0; ///< of an index of these
  size_t range_ = 0;
};

} // namespace commtap
