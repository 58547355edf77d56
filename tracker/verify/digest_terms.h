// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The terms that one element adds to a digest: the same text for the host and, compiled by NVRTC, for a GPU. Includes
// nothing, for NVRTC has no headers of the host.

#ifdef __CUDACC__
#define COMMTAP_ON_GPU __device__
#else
#define COMMTAP_ON_GPU
#endif

namespace commtap {

using DigestWord = unsigned long long; // 64 bits, as CUDA's atomics take them
using DigestSigns = unsigned;          // 32 bits

static_assert(sizeof(DigestWord) == 8 && sizeof(DigestSigns) == 4);

/// Elements that share a table of signs. The next block has the same table, with the signs of each sum flipped or not.
constexpr int kDigestBlock = 4096;

/// The numbers that a tensor's elements are.
// NOLINTNEXTLINE(performance-enum-size): a member of the table that the GPU reads
enum class DigestType : unsigned {
  kFloat64,
  kFloat32,
  kFloat16,
  kBfloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
};

/// Returns a number whose bits all depend on all bits of `x`: the finalizer of MurmurHash3. It is a bijection.
COMMTAP_ON_GPU inline DigestWord digestMix(DigestWord x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33U);
}

/// Returns what the element number `index` of these bits adds to the hash of all, which is the sum. The place counts:
/// a plain sum or xor of the bits does not see two elements that are exchanged.
COMMTAP_ON_GPU inline DigestWord digestHash(DigestWord bits, DigestWord index) {
  return digestMix(bits ^ (index * 0x9e3779b97f4a7c15ULL));
}

/// Returns the signs of an element in its block, bit j for sum j: 1 is minus.
COMMTAP_ON_GPU inline DigestSigns digestSigns(unsigned place) {
  return static_cast<DigestSigns>(digestMix(place + 1ULL) & 0xffU);
}

/// Returns which sums have all signs of a block flipped, bit j for sum j.
COMMTAP_ON_GPU inline DigestSigns digestFlips(DigestWord block) {
  return static_cast<DigestSigns>(digestMix(~block) & 0xffU);
}

} // namespace commtap
