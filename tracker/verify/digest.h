// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "report/samples/samples.h"
#include "tracker/verify/digest_terms.h"
#include "tracker/verify/tensor_place.h"

namespace commtap {

/// Returns the bytes of an element.
size_t digestElementSize(DigestType type);

/// Returns the digest of `count` elements that lie one after the other, aligned to their size. Takes 0.3 to 0.8 ms
/// per MiB of float32. Sums are rounded as float32 is, within blocks of kDigestBlock elements. The hash is of the
/// elements in their order; their signs in the sums are those of the places that `runs` says.
Digest digestOf(const void* data, size_t count, DigestType type, PlaceRuns runs = {});

} // namespace commtap
