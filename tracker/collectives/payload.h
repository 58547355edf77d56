// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include "report/ledger/ledger_format.h"
#include "tracker/collectives/argument.h"
#include "tracker/collectives/custom_class.h"
#include "tracker/collectives/tensors.h"

// Reads the arguments of a collective: c10::IValue for a boxed call, else Argument. What every collective reads is
// inline.

namespace commtap {

/// The contents of a tensor argument, or of a nested list of tensors.
struct Payload {
  uint64_t bytes = 0;
  c10::ScalarType dtype = c10::ScalarType::Undefined; ///< of the first tensor
};

/// Returns the bytes of the values, without the indices.
uint64_t bytesOfSparse(const at::Tensor& tensor);
inline uint64_t bytesOf(const at::Tensor& tensor) {
  return tensor.is_sparse() ? bytesOfSparse(tensor) : tensor.nbytes();
}

template <typename AnyArgument>
Payload payloadOf(const AnyArgument& tensors) {
  Payload payload;
  forEachTensor(tensors, [&payload](const at::Tensor& tensor) {
    if (tensor.defined()) {
      payload.bytes += bytesOf(tensor);
      payload.dtype = payload.dtype == c10::ScalarType::Undefined ? tensor.scalar_type() : payload.dtype;
    }
    return true;
  });
  return payload;
}

/// Returns the contents of the matrix product of two tensors. `dtype` is the product's dtype: nullptr or None for that
/// of the first tensor.
Payload payloadOfProduct(const c10::IValue& first, const c10::IValue& second, const c10::IValue* dtype);
/// No op that is called by its C++ types computes a product.
inline Payload payloadOfProduct(const Argument& first, const Argument& /*second*/, const Argument* /*dtype*/) {
  return payloadOf(first);
}

/// Returns the first tensor of an argument, which the argument owns; nullptr if there is none.
template <typename AnyArgument>
const at::Tensor* firstTensor(const AnyArgument& tensors) {
  const at::Tensor* first = nullptr;
  forEachTensor(tensors, [&first](const at::Tensor& tensor) {
    first = &tensor;
    return false;
  });
  return first;
}

/// Strings of the ledger by a small number. Interns each once, then finds it without a lock.
template <size_t kSize, auto kMake>
class CachedNames {
 public:
  StringId operator[](size_t index) {
    const StringId known = index < kSize ? names_[index].load(std::memory_order_acquire) : 0;
    return known != 0 ? known : make(index);
  }

 private:
  StringId make(size_t index) {
    const StringId made = kMake(index);
    if (index < kSize) {
      names_[index].store(made, std::memory_order_release);
    }
    return made;
  }

  std::array<std::atomic<StringId>, kSize> names_{}; ///< 0: not interned yet
};

StringId internDtype(size_t dtype);
StringId internReduceOp(size_t type);
/// Returns the reduction of a functional collective's argument, in upper or lower case.
StringId reduceOpNamed(const std::string& name);

/// Returns the name as in Python without "torch.", such as "float32"; 0 for Undefined.
inline StringId dtypeName(c10::ScalarType dtype) {
  static constinit CachedNames<128, internDtype> names;
  return dtype == c10::ScalarType::Undefined ? 0 : names[static_cast<size_t>(dtype)];
}

/// Returns "sum", "avg", ...
inline StringId reduceOpName(c10d::ReduceOp::RedOpType type) {
  static constinit CachedNames<16, internReduceOp> names;
  return names[static_cast<size_t>(type)];
}
inline StringId reduceOpName(const c10d::ReduceOp& reduce_op) {
  return reduceOpName(static_cast<c10d::ReduceOp::RedOpType>(reduce_op.op_));
}
/// Returns the name for c10d's object or for the text of a functional collective; 0 for anything else.
inline StringId reduceOpName(const c10::IValue& value) {
  if (const auto* reduce_op = customClassOf<c10d::ReduceOp>(value)) {
    return reduceOpName(*reduce_op);
  }
  return value.isString() ? reduceOpNamed(value.toStringRef()) : 0;
}
inline StringId reduceOpName(const Argument& argument) {
  const bool is_one = argument.type == Argument::Type::kReduceOp && argument.data != nullptr;
  return is_one ? reduceOpName(*static_cast<const c10d::ReduceOp*>(argument.data)) : 0;
}

/// Returns a number for a reduction that is the same in every process; 0 for anything else.
inline uint32_t reduceOpTag(const c10d::ReduceOp& reduce_op) {
  return 1 + static_cast<uint32_t>(static_cast<c10d::ReduceOp::RedOpType>(reduce_op.op_));
}
inline uint32_t reduceOpTag(const c10::IValue& value) {
  if (const auto* reduce_op = customClassOf<c10d::ReduceOp>(value)) {
    return reduceOpTag(*reduce_op);
  }
  uint32_t tag = 0;
  for (const char letter : value.isString() ? std::string_view(value.toStringRef()) : std::string_view()) {
    tag = tag * 31 + (static_cast<unsigned char>(letter) | 0x20U); // in upper or lower case
  }
  return tag;
}
inline uint32_t reduceOpTag(const Argument& argument) {
  const bool is_one = argument.type == Argument::Type::kReduceOp && argument.data != nullptr;
  return is_one ? reduceOpTag(*static_cast<const c10d::ReduceOp*>(argument.data)) : 0;
}

/// Returns nullptr for anything else.
inline const c10d::ProcessGroup* processGroupOf(const c10::IValue& value) {
  return customClassOf<c10d::ProcessGroup>(value);
}
inline const c10d::ProcessGroup* processGroupOf(const Argument& argument) {
  return argument.type == Argument::Type::kGroup ? static_cast<const c10d::ProcessGroup*>(argument.data) : nullptr;
}

/// Returns nullptr for anything else and for an Argument: no op that is called by its C++ types has a text that a row
/// needs.
inline const std::string* textOf(const c10::IValue& value) {
  return value.isString() ? &value.toStringRef() : nullptr;
}
inline const std::string* textOf(const Argument& /*argument*/) {
  return nullptr;
}

inline bool isTrue(const c10::IValue& value) {
  return value.toBool();
}
inline bool isTrue(const Argument& argument) {
  return argument.number != 0;
}

inline int64_t integerOf(const c10::IValue& value) {
  return value.toInt();
}
inline int64_t integerOf(const Argument& argument) {
  return argument.number;
}

} // namespace commtap
