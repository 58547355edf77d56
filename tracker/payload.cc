// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/payload.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <string>

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/distributed/c10d/Types.hpp>

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

void add(const c10::IValue& value, Payload& payload) {
  if (value.isTensor()) {
    add(value.toTensor(), payload);
  } else if (value.isList()) {
    for (const c10::IValue& item : value.toListRef()) {
      add(item, payload);
    }
  }
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

Payload payloadOf(const c10::IValue& tensors) {
  Payload payload;
  add(tensors, payload);
  return payload;
}

const void* firstStorage(const c10::IValue& tensors) {
  if (tensors.isTensor()) {
    const at::Tensor& tensor = tensors.toTensor();
    return tensor.defined() && tensor.has_storage() ? tensor.storage().data() : nullptr;
  }
  return tensors.isList() && !tensors.toListRef().empty() ? firstStorage(tensors.toListRef()[0]) : nullptr;
}

StringId dtypeName(const Payload& payload) {
  return payload.dtype == c10::ScalarType::Undefined ? 0 : dtypeName(payload.dtype);
}

StringId dtypeName(c10::ScalarType dtype) {
  static std::array<std::atomic<StringId>, 128> cache{};
  return cachedName(cache, static_cast<size_t>(dtype), [&] { return c10::getDtypeNames(dtype).first; });
}

StringId reduceOpName(const c10::IValue& reduce_op) {
  if (reduce_op.isString()) {
    return functionalReduceOpName(reduce_op.toStringRef());
  }
  const auto* object = customClassOf<c10d::ReduceOp>(reduce_op);
  if (object == nullptr) {
    return 0;
  }
  static std::array<std::atomic<StringId>, 16> cache{};
  const c10d::ReduceOp::RedOpType type = object->op_;
  return cachedName(cache, static_cast<size_t>(type), [&] { return std::string(textOf(type)); });
}

} // namespace commtap
