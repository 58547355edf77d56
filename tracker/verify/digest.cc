// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/digest.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace commtap {
namespace {

/// Sums are made in this many lanes, so that the compiler can use vectors without another order of additions.
constexpr int kVectorLanes = 8;
using Floats = float __attribute__((vector_size(kVectorLanes * sizeof(float))));
using Doubles = double __attribute__((vector_size(kVectorLanes * sizeof(double))));
using Bits = uint32_t __attribute__((vector_size(kVectorLanes * sizeof(uint32_t))));

/// The signs of the elements of a block, and of a vector after it.
using Signs = std::array<uint32_t, kDigestBlock + kVectorLanes>;

const Signs& signsOfBlock() {
  static const Signs& signs = *[] { // never freed: it may be used while the process exits
    auto* made = new Signs();
    for (unsigned place = 0; place < kDigestBlock; ++place) {
      (*made)[place] = digestSigns(place);
    }
    return made;
  }();
  return signs;
}

/// Hands out the signs of a tensor's elements, block after block.
class ElementSigns {
 public:
  struct Taken {
    const uint32_t* signs;
    DigestSigns flips; ///< of all of them
  };

  explicit ElementSigns(PlaceRuns runs) : runs_(std::move(runs)) {}

  /// Returns the signs of the next `count` elements, and any after them up to a whole vector.
  Taken take(size_t count) {
    const PlaceRun first = nextPiece(count);
    if (first.length == count) { // as of each block of a whole tensor
      return {&table_[first.start % kDigestBlock], digestFlips(first.start / kDigestBlock)};
    }
    copy(first, 0);
    size_t filled = first.length;
    while (filled < count) {
      const PlaceRun piece = nextPiece(count - filled);
      copy(piece, filled);
      filled += piece.length;
    }
    std::fill_n(signs_.begin() + static_cast<std::ptrdiff_t>(filled), kVectorLanes, 0U);
    return {signs_.data(), 0};
  }

 private:
  /// Takes places that follow one another in one block of the whole.
  PlaceRun nextPiece(uint64_t most) {
    if (run_.length == 0) {
      run_ = runs_.next();
    }
    const PlaceRun piece = {
        run_.start, std::min<uint64_t>({most, run_.length, kDigestBlock - run_.start % kDigestBlock})};
    run_ = {run_.start + piece.length, run_.length - piece.length};
    return piece;
  }
  void copy(const PlaceRun& piece, size_t to) {
    const DigestSigns flips = digestFlips(piece.start / kDigestBlock);
    const uint32_t* from = &table_[piece.start % kDigestBlock];
    for (size_t i = 0; i < piece.length; ++i) {
      signs_[to + i] = from[i] ^ flips;
    }
  }

  const Signs& table_ = signsOfBlock();
  PlaceRuns runs_;
  PlaceRun run_;
  Signs signs_;
};

/// The elements of a block as numbers.
struct Block {
  alignas(sizeof(Floats)) std::array<float, kDigestBlock> values;
};

float fromHalf(uint16_t bits) {
  constexpr uint32_t kExponent = 0x1fU << 10U;
  constexpr float kSubnormal = 1.0F / (1U << 24U);
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16U;
  const uint32_t rest = bits & 0x7fffU;
  uint32_t wide = 0;
  if (rest >= kExponent) {
    wide = 0x7f800000U | (rest << 13U);
  } else if (rest >= (1U << 10U)) {
    wide = (rest << 13U) + (112U << 23U);
  } else {
    const float value = static_cast<float>(rest) * kSubnormal;
    std::memcpy(&wide, &value, sizeof(wide));
  }
  wide |= sign;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

float fromBfloat(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// The type that has an element's bits, and the element as a number.
template <typename Stored, auto number>
struct Element {
  using Type = Stored;
  static float of(Stored stored) {
    return static_cast<float>(number(stored));
  }
};

/// Returns the nearest float, which is finite for a finite number.
float fromDouble(uint64_t bits) {
  constexpr double kMost = std::numeric_limits<float>::max();
  double number = 0;
  std::memcpy(&number, &bits, sizeof(number));
  return static_cast<float>(std::isfinite(number) ? std::clamp(number, -kMost, kMost) : number);
}

template <typename Number, typename Stored>
Number same(Stored stored) {
  static_assert(sizeof(Number) == sizeof(Stored));
  Number number = 0;
  std::memcpy(&number, &stored, sizeof(number));
  return number;
}

using Float64 = Element<uint64_t, fromDouble>;
using Float32 = Element<uint32_t, same<float, uint32_t>>;
using Float16 = Element<uint16_t, fromHalf>;
using Bfloat16 = Element<uint16_t, fromBfloat>;
using Int64 = Element<uint64_t, same<int64_t, uint64_t>>;
using Int32 = Element<uint32_t, same<int32_t, uint32_t>>;
using Int16 = Element<uint16_t, same<int16_t, uint16_t>>;
using Int8 = Element<uint8_t, same<int8_t, uint8_t>>;
using Uint8 = Element<uint8_t, same<uint8_t, uint8_t>>;

/// Calls `use` with the Element of a type.
template <typename Use>
auto withElement(DigestType type, const Use& use) {
  switch (type) {
    case DigestType::kFloat64:
      return use(Float64());
    case DigestType::kFloat32:
      return use(Float32());
    case DigestType::kFloat16:
      return use(Float16());
    case DigestType::kBfloat16:
      return use(Bfloat16());
    case DigestType::kInt64:
      return use(Int64());
    case DigestType::kInt32:
      return use(Int32());
    case DigestType::kInt16:
      return use(Int16());
    case DigestType::kInt8:
      return use(Int8());
    case DigestType::kUint8:
      break;
  }
  return use(Uint8());
}

/// The sums over the vectors of a block.
struct BlockSums {
  std::array<Floats, kDigestSums> signed_sums{};
  Doubles squares{};
  Bits non_finite{}; ///< not 0 where an element is infinite or not a number
};

BlockSums sumsOf(const Block& block, const uint32_t* signs, size_t count) {
  constexpr int kSignBit = 31;
  constexpr uint32_t kExponent = 0x7f800000;
  BlockSums sums;
  for (size_t place = 0; place < count; place += kVectorLanes) {
    Bits bits;
    Bits flips;
    Floats values;
    std::memcpy(&bits, &block.values[place], sizeof(bits));
    std::memcpy(&flips, signs + place, sizeof(flips));
    std::memcpy(&values, &bits, sizeof(values));
    for (int j = 0; j < kDigestSums; ++j) {
      sums.signed_sums[j] += reinterpret_cast<Floats>(bits ^ ((flips >> j) << kSignBit));
    }
    const Doubles wide = __builtin_convertvector(values, Doubles);
    sums.squares += wide * wide;
    sums.non_finite |= reinterpret_cast<Bits>((bits & kExponent) == kExponent);
  }
  return sums;
}

/// Adds the sums of a block, of which `count` elements are in use, to those of the digest.
void addBlock(const Block& block, const ElementSigns::Taken& signs, size_t count, Digest& digest) {
  const BlockSums sums = sumsOf(block, signs.signs, count);
  for (int lane = 0; lane < kVectorLanes; ++lane) {
    digest.squares += sums.squares[lane];
    digest.has_non_finite |= sums.non_finite[lane] != 0;
    for (int j = 0; j < kDigestSums; ++j) {
      const double sum = static_cast<double>(sums.signed_sums[j][lane]);
      digest.sums[j] += ((signs.flips >> j) & 1U) != 0 ? -sum : sum;
    }
  }
}

template <typename Kind>
Digest digestOfElements(const typename Kind::Type* data, size_t count, PlaceRuns runs) {
  Digest digest;
  ElementSigns signs(std::move(runs));
  Block block;
  uint64_t differs = 0;
  for (size_t start = 0; start < count; start += kDigestBlock) {
    const size_t length = std::min<size_t>(kDigestBlock, count - start);
    for (size_t place = 0; place < length; ++place) {
      const auto bits = data[start + place];
      digest.bits += digestHash(bits, start + place);
      differs |= bits ^ data[0];
      block.values[place] = Kind::of(bits);
    }
    std::fill_n(
        block.values.begin() + static_cast<std::ptrdiff_t>(length), (kDigestBlock - length) % kVectorLanes, 0.0F);
    addBlock(block, signs.take(length), length, digest);
  }
  digest.is_constant = differs == 0;
  return digest;
}

} // namespace

size_t digestElementSize(DigestType type) {
  return withElement(type, [](auto kind) { return sizeof(typename decltype(kind)::Type); });
}

Digest digestOf(const void* data, size_t count, DigestType type, PlaceRuns runs) {
  return withElement(type, [&](auto kind) {
    return digestOfElements<decltype(kind)>(
        static_cast<const typename decltype(kind)::Type*>(data), count, std::move(runs));
  });
}

} // namespace commtap
