// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/verify/digest_terms.h"

namespace commtap {

constexpr int kKernelSums = 8; ///< kDigestSums
constexpr int kKernelDims = 4; ///< after dimensions that lie one after the other became one

/// A tensor of the table that the kernel reads.
struct DigestTensor {
  DigestWord address;     ///< a multiple of the size of an element
  DigestWord elements;    ///< 0: it has no block
  DigestWord first_block; ///< the number of blocks of the tensors before it
  DigestType type;
  unsigned is_strided; ///< 0: the elements lie one after the other, and the members below are not read
  /// The dimensions, the last one innermost; the first ones have size 1 if there are fewer. Strides are in elements.
  DigestWord sizes[kKernelDims];
  DigestWord strides[kKernelDims];
  /// The elements' places in a whole tensor, for their signs in the sums: that of the first one, and by dimension of
  /// the part its size and what a step in it adds to the place.
  DigestWord is_placed; ///< 0: the place is the element's number, and the members below are not read
  DigestWord place;
  DigestWord place_sizes[kKernelDims];
  DigestWord place_strides[kKernelDims];
};

/// The kernel's sums for a tensor.
struct DigestResult {
  DigestWord bits;
  double squares;
  double sums[kKernelSums];
  unsigned differs;    ///< not 0 if an element has other bits than the first
  unsigned non_finite; ///< not 0 if an element is infinite or not a number
};

static_assert(sizeof(DigestTensor) == 176 && sizeof(DigestResult) == 88);

} // namespace commtap
