// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// Digests of many tensors in one launch. `./dev kernel` compiles this file to PTX by NVRTC, and writes it to
// digest_kernel.ptx. tests/cuda compiles it for the host, where a warp has one thread.

#include "tracker/verify/digest_kernel.h"
#include "tracker/verify/digest_terms.h"

namespace commtap {
namespace {

constexpr unsigned kWarp = 32;

#ifdef __CUDACC__
__device__ float halfToFloat(unsigned short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
#endif

/// Returns the nearest float, which is finite for a finite number.
__device__ float doubleToFloat(double number) {
  constexpr double kMost = 3.4028234663852886e38;
  const bool is_finite = number - number == 0;
  return static_cast<float>(is_finite && number > kMost ? kMost : is_finite && number < -kMost ? -kMost : number);
}

/// The bits of an element, and the element as a number.
struct Element {
  DigestWord bits;
  float value;
};

template <typename Stored>
__device__ Stored at(DigestWord address, DigestWord index) {
  return reinterpret_cast<const Stored*>(address)[index];
}

/// Returns how far from the first element the element number `index` lies.
__device__ DigestWord placeOf(const DigestWord* sizes, const DigestWord* strides, DigestWord index) {
  DigestWord place = 0;
#pragma unroll
  for (int dim = kKernelDims - 1; dim > 0; --dim) {
    place += index % sizes[dim] * strides[dim];
    index /= sizes[dim];
  }
  return place + index * strides[0];
}

__device__ Element elementAt(const DigestTensor& tensor, DigestWord number) {
  const DigestWord address = tensor.address;
  const DigestWord index = tensor.is_strided != 0 ? placeOf(tensor.sizes, tensor.strides, number) : number;
  switch (tensor.type) {
    case DigestType::kFloat64: {
      const auto bits = at<DigestWord>(address, index);
      return {bits, doubleToFloat(__longlong_as_double(static_cast<long long>(bits)))};
    }
    case DigestType::kFloat32: {
      const auto bits = at<unsigned>(address, index);
      return {bits, __uint_as_float(bits)};
    }
    case DigestType::kFloat16: {
      const auto bits = at<unsigned short>(address, index);
      return {bits, halfToFloat(bits)};
    }
    case DigestType::kBfloat16: {
      const auto bits = at<unsigned short>(address, index);
      return {bits, __uint_as_float(static_cast<unsigned>(bits) << 16U)};
    }
    case DigestType::kInt64: {
      const auto bits = at<DigestWord>(address, index);
      return {bits, static_cast<float>(static_cast<long long>(bits))};
    }
    case DigestType::kInt32: {
      const auto bits = at<unsigned>(address, index);
      return {bits, static_cast<float>(static_cast<int>(bits))};
    }
    case DigestType::kInt16: {
      const auto bits = at<unsigned short>(address, index);
      return {bits, static_cast<float>(static_cast<short>(bits))};
    }
    case DigestType::kInt8: {
      const auto bits = at<unsigned char>(address, index);
      return {bits, static_cast<float>(static_cast<signed char>(bits))};
    }
    case DigestType::kUint8: break;
  }
  const auto bits = at<unsigned char>(address, index);
  return {bits, static_cast<float>(bits)};
}

/// One thread's part of a block of elements.
struct Part {
  DigestWord bits = 0;
  DigestWord differs = 0;
  double squares = 0;
  float sums[kKernelSums] = {};
  unsigned non_finite = 0;

  __device__ void add(const Element& element, DigestWord index, DigestSigns signs, DigestWord first) {
    constexpr unsigned kExponent = 0x7f800000;
    constexpr unsigned kSignBit = 31;
    const unsigned value = __float_as_uint(element.value);
    bits += digestHash(element.bits, index);
    differs |= element.bits ^ first;
    squares += static_cast<double>(element.value) * static_cast<double>(element.value);
    non_finite |= static_cast<unsigned>((value & kExponent) == kExponent);
#pragma unroll
    for (int j = 0; j < kKernelSums; ++j) {
      sums[j] += __uint_as_float(value ^ ((signs >> j) << kSignBit));
    }
  }
};

template <typename Number>
__device__ Number warpSum(Number number) {
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    number += __shfl_down_sync(~0U, number, distance);
  }
  return number;
}

/// Adds the parts of a warp's threads to the digest of the tensor.
__device__ void addWarp(const Part& part, DigestResult& result) {
  const DigestWord bits = warpSum(part.bits);
  const double squares = warpSum(part.squares);
  const bool has_differs = __any_sync(~0U, part.differs != 0) != 0;
  const bool has_non_finite = __any_sync(~0U, part.non_finite != 0) != 0;
  double sums[kKernelSums];
#pragma unroll
  for (int j = 0; j < kKernelSums; ++j) {
    sums[j] = warpSum(static_cast<double>(part.sums[j]));
  }
  if (threadIdx.x % kWarp != 0) {
    return;
  }
  atomicAdd(&result.bits, bits);
  atomicAdd(&result.squares, squares);
#pragma unroll
  for (int j = 0; j < kKernelSums; ++j) {
    atomicAdd(&result.sums[j], sums[j]);
  }
  if (has_differs) {
    atomicOr(&result.differs, 1U);
  }
  if (has_non_finite) {
    atomicOr(&result.non_finite, 1U);
  }
}

/// Returns the number of the tensor that has the block `number` of all.
__device__ unsigned tensorOf(const DigestTensor* tensors, unsigned count, DigestWord number) {
  unsigned low = 0;
  unsigned high = count - 1;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (tensors[middle].first_block <= number) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

} // namespace

/// Adds the digests of `count` tensors, which have `blocks` blocks in all, to `results`, which are 0 before.
extern "C" __global__ void commtapDigests(
    const DigestTensor* tensors,
    unsigned count,
    DigestWord blocks,
    DigestResult* results) {
  for (DigestWord number = blockIdx.x; number < blocks; number += gridDim.x) {
    const unsigned which = tensorOf(tensors, count, number);
    const DigestTensor& tensor = tensors[which];
    const DigestWord block = number - tensor.first_block;
    const DigestWord start = block * kDigestBlock;
    const DigestWord end = start + kDigestBlock < tensor.elements ? start + kDigestBlock : tensor.elements;
    const DigestWord first = elementAt(tensor, 0).bits;
    const bool is_placed = tensor.is_placed != 0;
    const DigestSigns flips = digestFlips(block);
    Part part;
    for (DigestWord index = start + threadIdx.x; index < end; index += blockDim.x) {
      const DigestWord place =
          is_placed ? tensor.place + placeOf(tensor.place_sizes, tensor.place_strides, index) : index;
      const DigestSigns signs = digestSigns(static_cast<unsigned>(place % kDigestBlock));
      part.add(elementAt(tensor, index), index, signs ^ (is_placed ? digestFlips(place / kDigestBlock) : flips), first);
    }
    addWarp(part, results[which]);
  }
}

} // namespace commtap
