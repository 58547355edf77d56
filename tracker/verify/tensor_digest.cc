// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/tensor_digest.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include "tracker/verify/digest.h"

namespace commtap {
namespace {

constexpr size_t kMostCopied = size_t{1} << 30U; ///< bytes

/// How a tensor's elements are digested.
struct Elements {
  DigestType type;
  size_t parts = 1; ///< numbers of an element
};

std::optional<Elements> digestElements(c10::ScalarType type) {
  switch (type) {
    case c10::ScalarType::Double:
      return Elements{DigestType::kFloat64};
    case c10::ScalarType::Float:
      return Elements{DigestType::kFloat32};
    case c10::ScalarType::Half:
      return Elements{DigestType::kFloat16};
    case c10::ScalarType::BFloat16:
      return Elements{DigestType::kBfloat16};
    case c10::ScalarType::Long:
      return Elements{DigestType::kInt64};
    case c10::ScalarType::Int:
      return Elements{DigestType::kInt32};
    case c10::ScalarType::Short:
      return Elements{DigestType::kInt16};
    case c10::ScalarType::Char:
      return Elements{DigestType::kInt8};
    case c10::ScalarType::Byte:
    case c10::ScalarType::Bool:
      return Elements{DigestType::kUint8};
    case c10::ScalarType::ComplexDouble:
      return Elements{DigestType::kFloat64, 2};
    case c10::ScalarType::ComplexFloat:
      return Elements{DigestType::kFloat32, 2};
    default:
      return std::nullopt;
  }
}

/// Returns whether the tensor's sizes, strides and memory are what they seem. Asks its keys only: a subclass in Python
/// answers every other question by code of its own.
bool isPlain(const c10::TensorImpl& tensor, c10::DispatchKey device) {
  constexpr c10::DispatchKeySet kOthers(
      {c10::DispatchKey::Python,
       c10::DispatchKey::Functionalize,
       c10::DispatchKey::Conjugate,
       c10::DispatchKey::Negative,
       c10::DispatchKey::ZeroTensor});
  return tensor.key_set().has(device) && !tensor.key_set().has_any(kOthers) && !tensor.has_symbolic_sizes_strides() &&
         tensor.has_storage();
}

/// Returns how many elements the memory from the first one on must hold; nullopt if an element is before the first.
std::optional<size_t> extentOf(const c10::TensorImpl& tensor) {
  size_t last = 0;
  for (size_t i = 0; i < tensor.sizes().size(); ++i) {
    if (tensor.strides()[i] < 0) {
      return std::nullopt;
    }
    last += static_cast<size_t>(tensor.sizes()[i] - 1) * static_cast<size_t>(tensor.strides()[i]);
  }
  return last + 1;
}

/// Returns a tensor's first element; nullptr if its memory does not hold all of them, as after resize_(0). The tensor
/// has elements.
const std::byte* firstElement(const c10::TensorImpl& tensor, size_t size) {
  const c10::Storage& storage = tensor.unsafe_storage();
  const std::optional<size_t> extent = extentOf(tensor);
  const size_t begin = static_cast<size_t>(tensor.storage_offset()) * size;
  if (!storage || !extent || storage.data() == nullptr || begin + *extent * size > storage.nbytes()) {
    return nullptr;
  }
  return static_cast<const std::byte*>(storage.data()) + begin;
}

/// Copies the elements to `to` in their logical order.
void copyElements(const c10::TensorImpl& tensor, size_t size, const std::byte* from, std::byte* to) {
  const c10::IntArrayRef sizes = tensor.sizes();
  const c10::IntArrayRef strides = tensor.strides();
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t left = tensor.numel(); left > 0; --left) {
    std::memcpy(to, from, size);
    to += size;
    for (size_t i = sizes.size(); i-- > 0;) {
      from += strides[i] * static_cast<int64_t>(size);
      if (++index[i] < sizes[i]) {
        break;
      }
      from -= index[i] * strides[i] * static_cast<int64_t>(size);
      index[i] = 0;
    }
  }
}

/// Sizes and strides for the kernel, which joins dimensions whose elements follow one another.
class KernelDims {
 public:
  /// `parts`: numbers of an element, which follow one another.
  explicit KernelDims(size_t parts) {
    if (parts > 1) {
      dims_.emplace_back(parts, 1);
    }
  }
  /// Adds the next dimension outside of the others.
  void add(DigestWord size, DigestWord stride) {
    if (!dims_.empty() && stride == dims_.back().first * dims_.back().second) {
      dims_.back().first *= size;
    } else if (size > 1) {
      dims_.emplace_back(size, stride);
    }
  }
  /// Writes them for the kernel. Returns false if it has too few.
  bool write(DigestWord* sizes, DigestWord* strides) {
    if (dims_.size() > kKernelDims) {
      return false;
    }
    dims_.resize(kKernelDims, {1, 0});
    for (int i = 0; i < kKernelDims; ++i) {
      std::tie(sizes[kKernelDims - 1 - i], strides[kKernelDims - 1 - i]) = dims_[i];
    }
    return true;
  }

 private:
  std::vector<std::pair<DigestWord, DigestWord>> dims_; ///< size and stride, the innermost one first
};

/// Sets the dimensions of a tensor whose elements do not lie one after the other. Returns false if the kernel has too
/// few.
bool setDimensions(const c10::TensorImpl& tensor, size_t parts, DigestTensor& to) {
  KernelDims dims(parts);
  for (size_t i = tensor.sizes().size(); i-- > 0;) {
    dims.add(static_cast<DigestWord>(tensor.sizes()[i]), static_cast<DigestWord>(tensor.strides()[i]) * parts);
  }
  to.is_strided = 1;
  return dims.write(to.sizes, to.strides);
}

/// Calls use(data, count, elements) with the numbers of a tensor's elements, one after the other, and returns true.
/// Returns false for a tensor that digestOfTensor() does not read.
template <typename Use>
bool withNumbers(const c10::TensorImpl& tensor, const Use& use) {
  const std::optional<Elements> elements =
      isPlain(tensor, c10::DispatchKey::CPU) ? digestElements(c10::typeMetaToScalarType(tensor.dtype())) : std::nullopt;
  if (!elements) {
    return false;
  }
  const auto count = static_cast<size_t>(tensor.numel());
  if (count == 0) {
    use(nullptr, size_t{0}, *elements);
    return true;
  }
  const size_t part = digestElementSize(elements->type);
  const size_t size = part * elements->parts;
  const std::byte* first = firstElement(tensor, size);
  if (first == nullptr) {
    return false;
  }
  if (tensor.is_contiguous() && reinterpret_cast<uintptr_t>(first) % part == 0) {
    use(first, count * elements->parts, *elements);
    return true;
  }
  if (count > kMostCopied / size) {
    return false;
  }
  const std::unique_ptr<std::byte[]> copy(new std::byte[count * size]); // aligned as for any number
  copyElements(tensor, size, first, copy.get());
  use(copy.get(), count * elements->parts, *elements);
  return true;
}

} // namespace

std::optional<Digest> digestOfTensor(const c10::TensorImpl& tensor, const TensorPlace* place) {
  std::optional<Digest> digest;
  withNumbers(tensor, [&](const std::byte* data, size_t count, const Elements& elements) {
    digest = digestOf(data, count, elements.type, PlaceRuns(place, elements.parts));
  });
  return digest;
}

std::vector<Digest> digestsOfRows(const c10::TensorImpl& tensor) {
  std::vector<Digest> digests;
  if (tensor.dim() == 0 || tensor.numel() == 0) {
    return digests;
  }
  const auto rows = static_cast<size_t>(tensor.size(0));
  withNumbers(tensor, [&](const std::byte* data, size_t count, const Elements& elements) {
    const size_t numbers = count / rows;
    for (size_t row = 0; row < rows; ++row) {
      digests.push_back(digestOf(data + row * numbers * digestElementSize(elements.type), numbers, elements.type));
    }
  });
  return digests;
}

const c10::TensorImpl* keptGradient(const c10::TensorImpl& tensor) {
  const at::TensorBase& gradient = tensor.grad();
  return gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr;
}

std::optional<DeviceTensor> deviceTensorOf(const c10::TensorImpl& tensor) {
  const std::optional<Elements> elements = isPlain(tensor, c10::DispatchKey::CUDA)
                                               ? digestElements(c10::typeMetaToScalarType(tensor.dtype()))
                                               : std::nullopt;
  if (!elements) {
    return std::nullopt;
  }
  DeviceTensor found{.device = tensor.device().index(), .storage = tensor.unsafe_storage()};
  found.elements.type = elements->type;
  found.parts = elements->parts;
  if (tensor.numel() == 0) {
    return found;
  }
  const size_t part = digestElementSize(elements->type);
  const auto first = reinterpret_cast<uintptr_t>(firstElement(tensor, part * elements->parts));
  if (first == 0 || first % part != 0 || found.device < 0) {
    return std::nullopt;
  }
  found.elements.address = first;
  found.elements.elements = static_cast<DigestWord>(tensor.numel()) * elements->parts;
  if (!tensor.is_contiguous() && !setDimensions(tensor, elements->parts, found.elements)) {
    return std::nullopt;
  }
  return found;
}

bool setPlace(const TensorPlace& place, DeviceTensor& tensor) {
  DigestTensor& to = tensor.elements;
  KernelDims dims(tensor.parts);
  DigestWord stride = tensor.parts;
  for (size_t i = place.dims.size(); i-- > 0;) {
    if (place.dims[i].size() > 1) {
      return false;
    }
    const PlaceRange range = place.dims[i].empty() ? PlaceRange() : place.dims[i].front();
    to.place += static_cast<DigestWord>(range.start) * stride;
    dims.add(static_cast<DigestWord>(range.length), stride);
    stride *= static_cast<DigestWord>(place.shape[i]);
  }
  to.is_placed = place.isWhole() ? 0 : 1;
  return dims.write(to.place_sizes, to.place_strides);
}

} // namespace commtap
