// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/payload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <string>

#include "tracker/custom_class.h"
#include "tracker/recorder.h"

namespace commtap {
namespace {

uint64_t bytesOf(const at::Tensor& tensor) {
  if (tensor.is_sparse()) {
    return tensor._values().nbytes();
  }
  return tensor.nbytes();
}

void add(const at::Tensor& tensor, Payload& payload) {
  if (!tensor.defined()) {
    return;
  }
  payload.bytes += bytesOf(tensor);
  if (payload.dtype == c10::ScalarType::Undefined) {
    payload.dtype = tensor.scalar_type();
  }
}

/// `visit` returns whether to go on; so do these.
template <typename Visit>
bool forEachTensor(at::TensorList tensors, const Visit& visit) {
  return std::all_of(tensors.begin(), tensors.end(), visit);
}

template <typename Visit>
bool forEachTensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    return visit(value.toTensor());
  }
  if (!value.isList()) {
    return true;
  }
  for (const c10::IValue& item : value.toListRef()) {
    const bool go_on = item.isTensor() ? visit(item.toTensor()) : forEachTensor(item, visit);
    if (!go_on) {
      return false;
    }
  }
  return true;
}

template <typename Visit>
void forEachTensor(const Argument& argument, const Visit& visit) {
  switch (argument.type) {
    case Argument::Type::kBoxed:
      forEachTensor(*static_cast<const c10::IValue*>(argument.data), visit);
      return;
    case Argument::Type::kTensor:
      visit(*static_cast<const at::Tensor*>(argument.data));
      return;
    case Argument::Type::kTensors:
      forEachTensor(
          at::TensorList(static_cast<const at::Tensor*>(argument.data), static_cast<size_t>(argument.number)), visit);
      return;
    case Argument::Type::kTensorLists:
      for (const auto& list : *static_cast<const std::vector<std::vector<at::Tensor>>*>(argument.data)) {
        if (!forEachTensor(at::TensorList(list), visit)) {
          return;
        }
      }
      return;
    default:
      return;
  }
}

/// The boxed value; nullptr for an argument that is none.
const c10::IValue* boxed(const Argument& argument) {
  return argument.type == Argument::Type::kBoxed ? static_cast<const c10::IValue*>(argument.data) : nullptr;
}

/// An object of class T, in its C++ type `type` or boxed.
template <typename T>
const T* objectOf(const Argument& argument, Argument::Type type) {
  if (argument.type == type) {
    return static_cast<const T*>(argument.data);
  }
  const c10::IValue* value = boxed(argument);
  return value == nullptr ? nullptr : customClassOf<T>(*value);
}

const char* textOf(c10d::ReduceOp::RedOpType type) {
  switch (type) {
    case c10d::ReduceOp::SUM:
      return "sum";
    case c10d::ReduceOp::AVG:
      return "avg";
    case c10d::ReduceOp::PRODUCT:
      return "product";
    case c10d::ReduceOp::MIN:
      return "min";
    case c10d::ReduceOp::MAX:
      return "max";
    case c10d::ReduceOp::BAND:
      return "band";
    case c10d::ReduceOp::BOR:
      return "bor";
    case c10d::ReduceOp::BXOR:
      return "bxor";
    case c10d::ReduceOp::PREMUL_SUM:
      return "premul_sum";
    default:
      return "unused";
  }
}

/// Names made once, then found without a lock: index → StringId, 0 for not yet.
template <size_t N, typename Make>
StringId cachedName(std::array<std::atomic<StringId>, N>& cache, size_t index, Make make) {
  if (index >= N) {
    return Recorder::get().ledger().intern(make());
  }
  StringId id = cache[index].load(std::memory_order_relaxed);
  if (id == 0) {
    id = Recorder::get().ledger().intern(make());
    cache[index].store(id, std::memory_order_relaxed);
  }
  return id;
}

/// Functional collectives take the reduction as text, in any case. It rarely changes: the last one is remembered.
StringId functionalReduceOpName(const std::string& name) {
  static std::atomic<StringId> last{0};
  LedgerWriter& ledger = Recorder::get().ledger();
  StringId id = last.load(std::memory_order_relaxed);
  if (id == 0 || ledger.text(id) != name) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    id = ledger.intern(lower);
    last.store(id, std::memory_order_relaxed);
  }
  return id;
}

} // namespace

Payload payloadOf(const Argument& tensors) {
  Payload payload;
  forEachTensor(tensors, [&](const at::Tensor& tensor) {
    add(tensor, payload);
    return true;
  });
  return payload;
}

const void* firstStorage(const Argument& tensors) {
  const void* storage = nullptr;
  forEachTensor(tensors, [&](const at::Tensor& tensor) {
    storage = tensor.defined() && tensor.has_storage() ? tensor.storage().data() : nullptr;
    return false;
  });
  return storage;
}

StringId dtypeName(const Payload& payload) {
  return payload.dtype == c10::ScalarType::Undefined ? 0 : dtypeName(payload.dtype);
}

StringId dtypeName(c10::ScalarType dtype) {
  static std::array<std::atomic<StringId>, 128> cache{};
  return cachedName(cache, static_cast<size_t>(dtype), [&] { return c10::getDtypeNames(dtype).first; });
}

const c10d::ProcessGroup* processGroupOf(const Argument& argument) {
  return objectOf<c10d::ProcessGroup>(argument, Argument::Type::kGroup);
}

const std::string* textOf(const Argument& argument) {
  const c10::IValue* value = boxed(argument);
  return value != nullptr && value->isString() ? &value->toStringRef() : nullptr;
}

bool isTrue(const Argument& argument) {
  const c10::IValue* value = boxed(argument);
  return value == nullptr ? argument.number != 0 : value->toBool();
}

int64_t integerOf(const Argument& argument) {
  const c10::IValue* value = boxed(argument);
  return value == nullptr ? argument.number : value->toInt();
}

StringId reduceOpName(const Argument& reduce_op) {
  if (const std::string* name = textOf(reduce_op)) {
    return functionalReduceOpName(*name);
  }
  const auto* object = objectOf<c10d::ReduceOp>(reduce_op, Argument::Type::kReduceOp);
  if (object == nullptr) {
    return 0;
  }
  static std::array<std::atomic<StringId>, 16> cache{};
  const c10d::ReduceOp::RedOpType type = object->op_;
  return cachedName(cache, static_cast<size_t>(type), [&] { return std::string(textOf(type)); });
}

} // namespace commtap
