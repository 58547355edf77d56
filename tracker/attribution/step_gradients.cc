// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/step_gradients.h"

#include <atomic>
#include <memory>

#include <ATen/EmptyTensor.h>

#include "report/ledger/ledger_format.h"
#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

constinit std::atomic<StepGradients::Read> read_gradients{nullptr};

/// A storage without data is enough: it distinguishes a plan's fake tensors.
bool hasMemory(const c10::TensorImpl& tensor) {
  return tensor.has_storage() && tensor.unsafe_storage() && !tensor.has_symbolic_sizes_strides();
}

void take(void* data, void* parameter, void* gradient) {
  const auto* tensor = static_cast<const c10::TensorImpl*>(gradient);
  if (tensor != nullptr && hasMemory(*tensor)) {
    static_cast<StepGradients*>(data)->add(*tensor, ModuleRegistry::get().ownerOfTensor(parameter));
  }
}

} // namespace

void StepGradients::setFunction(Read read) {
  read_gradients.store(read, std::memory_order_release);
}

const StepGradients& StepGradients::inStep(ThreadState& thread) {
  if (thread.step_gradients == nullptr || thread.optimizer_steps.empty()) {
    thread.step_gradients = std::make_shared<StepGradients>();
    if (const Read read = read_gradients.load(std::memory_order_acquire)) {
      read(take, thread.step_gradients.get());
    }
  }
  return *thread.step_gradients;
}

/// Covers what lies between the elements of a tensor that is not dense. Asks no Python code for sizes.
StepGradients::Part StepGradients::partOf(const c10::TensorImpl& tensor, std::optional<uint32_t> module) {
  const auto begin = static_cast<int64_t>(tensor.storage_offset_default() * tensor.itemsize());
  const size_t bytes =
      at::detail::computeStorageNbytes(tensor.sizes_default(), tensor.strides_default(), tensor.itemsize());
  return {begin, begin + static_cast<int64_t>(bytes), module};
}

void StepGradients::add(const c10::TensorImpl& gradient, std::optional<uint32_t> module) {
  const c10::Storage& storage = gradient.unsafe_storage();
  storages_.push_back(storage.getWeakStorageImpl()); // first: an address in the table must not be reused
  parts_[storage.unsafeGetStorageImpl()].push_back(partOf(gradient, module));
}

std::optional<uint32_t> StepGradients::find(const at::Tensor& tensor) const {
  if (!tensor.defined() || !hasMemory(*tensor.unsafeGetTensorImpl())) {
    return std::nullopt;
  }
  const auto parts = parts_.find(tensor.storage().unsafeGetStorageImpl());
  if (parts == parts_.end()) {
    return std::nullopt;
  }
  const Part sent = partOf(*tensor.unsafeGetTensorImpl(), std::nullopt);
  std::optional<uint32_t> common;
  for (const Part& part : parts->second) {
    if (part.begin < sent.end && sent.begin < part.end) {
      if (!part.module) {
        return std::nullopt;
      }
      common = common ? ModuleRegistry::get().commonAncestor(*common, *part.module) : *part.module;
    }
  }
  return common == kGlobalModule ? std::nullopt : common;
}

} // namespace commtap
