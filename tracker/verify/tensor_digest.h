// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>

#include "report/samples/samples.h"
#include "tracker/verify/digest_kernel.h"
#include "tracker/verify/tensor_place.h"

namespace commtap {

/// Returns the digest of a tensor's elements in their logical order; nullopt unless it is a strided tensor whose values
/// are in the CPU's memory, of a dtype that DigestType has or of complex numbers, which are pairs. Calls no op and no
/// code of a subclass. May throw std::bad_alloc: elements that do not lie one after the other are copied. `place`: what
/// part of a whole it is, with as many elements; nullptr for all of it.
std::optional<Digest> digestOfTensor(const c10::TensorImpl& tensor, const TensorPlace* place = nullptr);

/// Returns the digest of each row of a tensor, by its first dimension; none unless digestOfTensor() reads it.
std::vector<Digest> digestsOfRows(const c10::TensorImpl& tensor);

/// Returns the gradient that a tensor keeps, nullptr for none. Python's `.grad` warns if the tensor is no leaf, as the
/// shards that Megatron's distributed optimizer updates.
const c10::TensorImpl* keptGradient(const c10::TensorImpl& tensor);

/// A tensor in a GPU's memory, with everything that the kernel must know of it.
struct DeviceTensor {
  int device = 0;
  c10::Storage storage;    ///< keeps the memory
  DigestTensor elements{}; ///< without the number of the first block; `elements` may be 0
  uint64_t parts = 1;      ///< numbers per element of the tensor
};

/// Returns a tensor in the memory of a CUDA device for digestOfTensor()'s digest of it; nullopt if it is not such a
/// tensor. Unlike on the CPU, elements at odd addresses and very irregular strides have no digest.
std::optional<DeviceTensor> deviceTensorOf(const c10::TensorImpl& tensor);

/// Has the kernel follow a place with as many elements. Returns false if it cannot: several ranges of a dimension, or
/// too many dimensions.
bool setPlace(const TensorPlace& place, DeviceTensor& tensor);

} // namespace commtap
