// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/tensor_place.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/unit/tracker/verify/random_floats.h"
#include "tracker/verify/digest.h"

namespace commtap {
namespace {

using Numbers = std::vector<int64_t>;

/// Returns the indices in the whole of a part's elements, one by one.
Numbers indicesOf(const TensorPlace& place) {
  Numbers indices = {0};
  for (size_t dim = 0; dim < place.dims.size(); ++dim) {
    Numbers next;
    for (const int64_t index : indices) {
      for (const PlaceRange& range : place.dims[dim]) {
        for (int64_t i = 0; i < range.length; ++i) {
          next.push_back(index * place.shape[dim] + range.start + i);
        }
      }
    }
    indices = next;
  }
  return indices;
}

TensorPlace placeAt(const Numbers& shape, const Numbers& mesh, const Numbers& at, std::vector<std::string> placements) {
  const std::optional<PlacedShard> placed = placeOfShard({shape, mesh, at, std::move(placements)});
  REQUIRE(placed);
  return placed->place;
}

struct Layout {
  Numbers shape;
  Numbers mesh;
  std::vector<std::string> placements;
};

TEST_CASE("the sums of the parts of a tensor are those of the whole, whatever the layout") {
  for (const Layout& layout : {
           Layout{{8, 4}, {2}, {"Shard(dim=0)"}},
           Layout{{8, 4}, {4}, {"Shard(dim=1)"}},
           Layout{{5, 3}, {4}, {"Shard(dim=0)"}},
           Layout{{1, 7}, {3}, {"Shard(dim=0)"}},
           Layout{{10'000}, {3}, {"Shard(dim=0)"}},
           Layout{{3, 5000}, {4}, {"Shard(dim=1)"}},
           Layout{{2, 3, 4, 5}, {2, 2}, {"Shard(dim=1)", "Shard(dim=3)"}},
           Layout{{2, 6, 4}, {2, 3}, {"Shard(dim=1)", "Shard(dim=1)"}},
           Layout{{7, 3}, {2, 2}, {"Shard(dim=0)", "Shard(dim=0)"}},
           Layout{{8, 3}, {2, 2}, {"_StridedShard(dim=0, sf=2)", "Shard(dim=0)"}},
           Layout{{10, 3}, {2, 4}, {"_StridedShard(dim=0, split_factor=4)", "Shard(dim=0)"}},
           Layout{{9, 2}, {4}, {"_StridedShard(dim=0, sf=2)"}},
           Layout{{9, 2}, {2, 4}, {"Replicate()", "_StridedShard(dim=0, sf=2)"}},
           Layout{{}, {2}, {"Replicate()"}},
       }) {
    CAPTURE(layout.placements);
    CAPTURE(layout.shape);
    const std::vector<float> whole = randomFloats(static_cast<size_t>(elementsOf(layout.shape)), 7);
    const Digest digest = digestOf(whole.data(), whole.size(), DigestType::kFloat32);
    Digest sum;
    std::map<Numbers, bool> seen; // copies count once
    for (int64_t rank = 0; rank < elementsOf(layout.mesh); ++rank) {
      const Numbers at =
          layout.mesh.size() == 1 ? Numbers{rank} : Numbers{rank / layout.mesh[1], rank % layout.mesh[1]};
      const TensorPlace place = placeAt(layout.shape, layout.mesh, at, layout.placements);
      const Numbers indices = indicesOf(place);
      CHECK(place.elements() == static_cast<int64_t>(indices.size()));
      std::vector<float> part;
      for (const int64_t index : indices) {
        part.push_back(whole[static_cast<size_t>(index)]);
      }
      if (seen[indices] || part.empty()) {
        continue;
      }
      seen[indices] = true;
      const Digest its = digestOf(part.data(), part.size(), DigestType::kFloat32, PlaceRuns(&place, 1));
      CHECK(its.bits == digestOf(part.data(), part.size(), DigestType::kFloat32).bits);
      sum.squares += its.squares;
      for (int j = 0; j < kDigestSums; ++j) {
        sum.sums[j] += its.sums[j];
      }
    }
    CHECK(sum.squares == doctest::Approx(digest.squares));
    for (int j = 0; j < kDigestSums; ++j) {
      CHECK(std::abs(sum.sums[j] - digest.sums[j]) < 1e-5 * std::sqrt(digest.squares));
    }
  }
}

TEST_CASE("a tensor is split as torch does") {
  CHECK(placeAt({5}, {4}, {2}, {"Shard(dim=0)"}).numbers() == Numbers{1, 4, 1});
  CHECK(placeAt({5}, {4}, {3}, {"Shard(dim=0)"}).numbers() == Numbers{0});
  // Indices 0 to 3 on the first half of the mesh, of which every other one is on each rank.
  const std::vector<std::string> strided = {"Shard(dim=0)", "_StridedShard(dim=0, sf=2)"};
  CHECK(placeAt({8}, {2, 2}, {0, 1}, strided).numbers() == Numbers{2, 1, 1, 3, 1});
  CHECK(placeAt({8}, {2, 2}, {1, 0}, strided).numbers() == Numbers{2, 4, 1, 6, 1});
  // FSDP2 splits what tensor parallelism gave to the rank, rows 3 to 5.
  const std::vector<std::string> fsdp = {"_StridedShard(dim=0, sf=4)", "Shard(dim=0)"};
  CHECK(placeAt({10}, {2, 4}, {0, 1}, fsdp).numbers() == Numbers{1, 3, 2});
  CHECK(placeAt({10}, {2, 4}, {1, 3}, fsdp).numbers() == Numbers{0});
}

TEST_CASE("parts of a sum have the place of the whole, and other placements have none") {
  const std::optional<PlacedShard> sum = placeOfShard({{4}, {2, 2}, {0, 1}, {"Shard(dim=0)", "Partial(sum)"}});
  REQUIRE(sum);
  CHECK(sum->summed_over == 2);
  CHECK(sum->place.numbers() == Numbers{1, 0, 2});
  for (const char* other : {"Partial(avg)", "_MaskPartial(reduce_op=sum)", "Shard(dim=1)", "Shard(dim=-1)", "?", ""}) {
    CAPTURE(other);
    CHECK_FALSE(placeOfShard({{4}, {2}, {0}, {other}}));
  }
  CHECK_FALSE(placeOfShard({{4}, {2}, {}, {"Replicate()"}}));
  CHECK(placeAt({4}, {2}, {0}, {"Replicate()"}).isWhole());
  CHECK(placeAt({4}, {2}, {0}, {"Replicate()"}).numbers().empty());
}

TEST_CASE("a part of a flat parameter has the place of its elements in the original") {
  const std::vector<float> whole = randomFloats(6000, 7);
  Digest sum;
  for (const PlaceRange part : {PlaceRange{0, 100}, PlaceRange{100, 5000}, PlaceRange{5100, 900}}) {
    const TensorPlace place = flatPlace(6000, part);
    const Digest its = digestOf(
        whole.data() + part.start, static_cast<size_t>(part.length), DigestType::kFloat32, PlaceRuns(&place, 1));
    sum.sums[0] += its.sums[0];
  }
  CHECK(sum.sums[0] == doctest::Approx(digestOf(whole.data(), whole.size(), DigestType::kFloat32).sums[0]));
  CHECK(flatPlace(6000, {0, 6000}).isWhole());
  CHECK_FALSE(flatPlace(6000, {0, 0}).isWhole());
}

} // namespace
} // namespace commtap
