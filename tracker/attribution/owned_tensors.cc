// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/owned_tensors.h"

#include <utility>

namespace commtap {
void OwnedTensors::add(const c10::TensorImpl& tensor, uint32_t module) {
  // A subclass that is dispatched to Python may have no memory, and code of the job's that says its size.
  const bool has_memory = tensor.has_storage() && !tensor.key_set().has(c10::DispatchKey::Python);
  const size_t bytes = has_memory ? static_cast<size_t>(tensor.numel()) * tensor.itemsize() : 0;
  const auto [entry, is_new] = owned_.try_emplace(&tensor, Owned{weakReference(tensor), module, bytes, kNowhere});
  entry->second.module = module;
  of_module_[module].push_back(&tensor);
  if (is_new && has_memory) {
    Tensors& equal = by_bytes_[bytes];
    equal.push_back(&tensor);
    entry->second.place = equal.size() - 1;
  }
}

/// Takes the same time however many tensors of the size there are: a job may make models in a loop.
void OwnedTensors::removeFromSizes(Owned& owned) {
  if (owned.place != kNowhere) {
    Tensors& equal = by_bytes_.at(owned.bytes);
    owned_.at(equal.back()).place = owned.place;
    equal[owned.place] = equal.back();
    equal.pop_back();
    owned.place = kNowhere;
  }
}

void OwnedTensors::removeOf(uint32_t module, Released& released) {
  const auto list = of_module_.extract(module);
  if (list.empty()) {
    return;
  }
  for (const c10::TensorImpl* tensor : list.mapped()) {
    const auto entry = owned_.find(tensor);
    if (entry != owned_.end() && entry->second.module == module) { // else another module owns it now
      removeFromSizes(entry->second);
      released.push_back(std::move(entry->second.tensor));
      owned_.erase(entry);
    }
  }
}

std::optional<uint32_t> OwnedTensors::ownerOf(const void* tensor) const {
  const auto entry = owned_.find(tensor);
  return entry == owned_.end() ? std::nullopt : std::optional<uint32_t>(entry->second.module);
}

/// Reads only which storage a tensor has. A destroyed tensor has none, and its object is still there.
void OwnedTensors::addOwnersIn(
    const c10::StorageImpl& storage,
    const Tensors& candidates,
    std::vector<uint32_t>& owners) const {
  for (const c10::TensorImpl* tensor : candidates) {
    if (tensor->unsafe_storage().unsafeGetStorageImpl() == &storage) {
      owners.push_back(owned_.at(tensor).module);
    }
  }
}

std::vector<uint32_t> OwnedTensors::ownersIn(const c10::StorageImpl& storage) const {
  std::vector<uint32_t> owners;
  const size_t bytes = storage.nbytes();
  if (const auto equal = by_bytes_.find(bytes); equal != by_bytes_.end() && !equal->second.empty()) {
    addOwnersIn(storage, equal->second, owners);
    return owners;
  }
  for (const auto& [smaller, tensors] : by_bytes_) {
    if (smaller < bytes) {
      addOwnersIn(storage, tensors, owners);
    }
  }
  return owners;
}

} // namespace commtap
