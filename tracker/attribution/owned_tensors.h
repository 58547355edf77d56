// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include <c10/core/TensorImpl.h>
#include <c10/util/intrusive_ptr.h>

namespace commtap {

using WeakTensor = c10::weak_intrusive_ptr<c10::TensorImpl>;

/// Does not change the number of strong references, which torch may compare with that of the tensor's Python object.
inline WeakTensor weakReference(const c10::TensorImpl& tensor) {
  return WeakTensor::reclaim(c10::raw::intrusive_ptr::make_weak(const_cast<c10::TensorImpl*>(&tensor)));
}

/// The parameters of modules, by their tensor objects. Keeps no memory of the job, but the address of each object, so
/// that no other tensor gets it. The owner of the table guards it.
class OwnedTensors {
 public:
  /// References to drop after unlocking: the last one destroys the tensor object.
  using Released = std::vector<WeakTensor>;

  /// Makes `module` the owner of a live tensor, instead of an earlier owner.
  void add(const c10::TensorImpl& tensor, uint32_t module);
  /// Removes the tensors that `module` owns.
  void removeOf(uint32_t module, Released& released);

  std::optional<uint32_t> ownerOf(const void* tensor) const;
  /// Returns the owners of the tensors that have their memory in `storage` now. Compares with the tensors whose size
  /// was that of the storage; if there are none, with all smaller ones, as for a flat buffer.
  std::vector<uint32_t> ownersIn(const c10::StorageImpl& storage) const;
  size_t size() const {
    return owned_.size();
  }

 private:
  struct Owned {
    WeakTensor tensor;
    uint32_t module;
    size_t bytes; ///< when it was added
    size_t place; ///< in by_bytes_[bytes]; kNowhere for a tensor without memory
  };
  using Tensors = std::vector<const c10::TensorImpl*>;

  static constexpr size_t kNowhere = ~size_t{0};

  void removeFromSizes(Owned& owned);
  void addOwnersIn(const c10::StorageImpl& storage, const Tensors& candidates, std::vector<uint32_t>& owners) const;

  std::unordered_map<const void*, Owned> owned_; ///< by tensor
  std::unordered_map<uint32_t, Tensors> of_module_;
  std::unordered_map<size_t, Tensors> by_bytes_; ///< each tensor with memory once
};

} // namespace commtap
