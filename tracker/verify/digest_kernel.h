// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/verify/digest_terms.h"

namespace commtap {

constexpr int kKernelSums = 8; ///< kDigestSums

/// A tensor of the table that the kernel reads.
struct DigestTensor {
  DigestWord address;
  DigestWord elements;    ///< not 0
  DigestWord first_block; ///< the number of blocks of the tensors before it
  DigestType type;
  unsigned unused;
};

/// The kernel's sums for a tensor.
struct DigestResult {
  DigestWord bits;
  double squares;
  double sums[kKernelSums];
  unsigned differs;    ///< not 0 if an element has other bits than the first
  unsigned non_finite; ///< not 0 if an element is infinite or not a number
};

static_assert(sizeof(DigestTensor) == 32 && sizeof(DigestResult) == 88);

} // namespace commtap
