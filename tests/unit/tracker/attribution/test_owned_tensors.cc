// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/owned_tensors.h"

#include <ATen/ops/ones.h>

#include "tests/unit/torch_doctest.h"

#include <utility>
#include <vector>

namespace commtap {
namespace {

using Owners = std::vector<uint32_t>;

const c10::TensorImpl& objectOf(const at::Tensor& tensor) {
  return *tensor.unsafeGetTensorImpl();
}

const c10::StorageImpl& memoryOf(const at::Tensor& tensor) {
  return *tensor.storage().unsafeGetStorageImpl();
}

TEST_CASE("the last module that a tensor was added for owns it") {
  OwnedTensors tensors;
  const at::Tensor tied = at::ones({3});
  tensors.add(objectOf(tied), 1);
  tensors.add(objectOf(tied), 2);
  CHECK(tensors.ownerOf(&objectOf(tied)) == 2);
  CHECK(tensors.ownersIn(memoryOf(tied)) == Owners{2});
  CHECK(tensors.size() == 1);
  OwnedTensors::Released released;
  tensors.removeOf(1, released);
  CHECK(tensors.ownerOf(&objectOf(tied)) == 2);
  tensors.removeOf(2, released);
  tensors.removeOf(3, released);
  CHECK(tensors.ownerOf(&objectOf(tied)) == std::nullopt);
  CHECK(tensors.ownersIn(memoryOf(tied)).empty());
  CHECK(tensors.size() == 0);
  CHECK(released.size() == 1);
}

TEST_CASE("no other tensor gets the address of one that was destroyed, whose memory is freed") {
  OwnedTensors tensors;
  at::Tensor tensor = at::ones({3});
  const c10::weak_intrusive_ptr<c10::StorageImpl> memory = tensor.storage().getWeakStorageImpl();
  tensors.add(objectOf(tensor), 1);
  CHECK(tensor.use_count() == 1);
  tensor.reset();
  CHECK(memory.expired());
  std::vector<at::Tensor> later;
  for (int i = 0; i < 1000; ++i) {
    later.push_back(at::ones({3}));
    CHECK(tensors.ownerOf(&objectOf(later.back())) == std::nullopt);
    CHECK(tensors.ownersIn(memoryOf(later.back())).empty());
  }
}

TEST_CASE("a tensor is found by its size also after others of that size were removed") {
  OwnedTensors tensors;
  std::vector<at::Tensor> equal;
  for (uint32_t module = 0; module < 4; ++module) {
    equal.push_back(at::ones({3}));
    tensors.add(objectOf(equal.back()), module);
  }
  OwnedTensors::Released released;
  for (const uint32_t removed : {1U, 0U, 3U}) {
    tensors.removeOf(removed, released);
    CHECK(tensors.ownersIn(memoryOf(equal[removed])).empty());
    CHECK(tensors.ownersIn(memoryOf(equal[2])) == Owners{2});
  }
  tensors.removeOf(2, released);
  CHECK(tensors.ownersIn(memoryOf(equal[2])).empty());
}

TEST_CASE("a storage is compared with the tensors of its size, else with all smaller ones") {
  OwnedTensors tensors;
  const at::Tensor flat = at::ones({9});
  const at::Tensor first = flat.narrow(0, 0, 4);
  const at::Tensor second = flat.narrow(0, 4, 5);
  tensors.add(objectOf(first), 1);
  tensors.add(objectOf(second), 2);
  const Owners owners = tensors.ownersIn(memoryOf(flat));
  CHECK((owners == Owners{1, 2} || owners == Owners{2, 1}));
  tensors.add(objectOf(flat), 3);
  CHECK(tensors.ownersIn(memoryOf(flat)) == Owners{3});
  CHECK(tensors.ownersIn(memoryOf(at::ones({1}))).empty());
}

} // namespace
} // namespace commtap
