// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/broadcast_buffers.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <c10/core/InferenceMode.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

/// The buffers of the DDP module, and how often they were read.
struct Model {
  std::vector<std::pair<std::string, at::Tensor>> buffers;
  int reads = 0;
};
Model broadcast_model;

void readBuffers(uint32_t ddp, CommtapTakeBuffer take, void* data) {
  ++broadcast_model.reads;
  for (const auto& [name, tensor] : broadcast_model.buffers) {
    take(data, ddp, tensor.unsafeGetTensorImpl(), name.c_str());
  }
}

/// A DDP module around a model with the layer "norm".
class BufferFixture : public TrackerFixture {
 public:
  BufferFixture() {
    broadcast_model = {};
    setReadDdpBuffers(readBuffers);
  }
  BufferFixture(const BufferFixture&) = delete;
  BufferFixture& operator=(const BufferFixture&) = delete;
  ~BufferFixture() {
    setReadDdpBuffers(nullptr);
    broadcast_model = {};
  }

 protected:
  static uint32_t add(uint32_t parent, const char* name, ModuleRole role = ModuleRole::kPlain) {
    return ModuleRegistry::get().add(parent, name, "C", role, false);
  }
  ModuleParts call(c10::ScalarType dtype = c10::kFloat) const {
    return buffersInCall(*ThreadState::current(), ddp_, dtype);
  }
  /// Makes calls until the next look, which the calls number 1, 2, 4 and so on make, and returns the changes it shows.
  uint64_t changesAtNextLook() const {
    for (const int reads = broadcast_model.reads;;) {
      uint64_t changes = 0;
      for (const ModulePart& part : call()) {
        changes += part.changes;
      }
      if (broadcast_model.reads > reads) {
        return changes;
      }
      CHECK(changes == 0);
    }
  }

  uint32_t ddp_ = add(0, "Ddp", ModuleRole::kDdp);
  uint32_t wrapped_ = add(ddp_, "module");
  uint32_t norm_ = add(wrapped_, "norm");
};

TEST_CASE_FIXTURE(BufferFixture, "a buffer belongs to the nearest module around it, in the calls of its type") {
  broadcast_model.buffers = {
      {"mask", at::ones({3}, at::kBool)},
      {"norm.table", at::ones({4})},
      {"norm.count", at::ones({}, at::kLong)},
      {"unknown.inner.table", at::ones({2})}};
  const auto has = [](const ModuleParts& parts, size_t i, uint32_t module, uint64_t bytes) {
    return i < parts.size() && parts[i].module == module && parts[i].size == bytes && parts[i].changes == 0;
  };
  const ModuleParts floats = call();
  CHECK(floats.size() == 2);
  CHECK(has(floats, 0, norm_, 16));
  CHECK(has(floats, 1, wrapped_, 8));
  CHECK(has(call(c10::kBool), 0, wrapped_, 3));
  CHECK(has(call(c10::kLong), 0, norm_, 8));
}

TEST_CASE_FIXTURE(BufferFixture, "buffers are looked at ever more rarely, and at least in every 64th call") {
  broadcast_model.buffers = {{"norm.table", at::ones({4})}};
  std::vector<int> looks;
  for (int number = 1; number <= 256; ++number) {
    const int reads = broadcast_model.reads;
    CHECK(call().size() == 1);
    if (broadcast_model.reads > reads) {
      looks.push_back(number);
    }
  }
  CHECK(looks == std::vector<int>{1, 2, 4, 8, 16, 32, 64, 128, 192, 256});
}

TEST_CASE_FIXTURE(BufferFixture, "a change in place, or another tensor in its place, is seen once") {
  const at::Tensor first = at::ones({4});
  broadcast_model.buffers = {{"norm.table", first}, {"norm.other", at::ones({4})}};
  CHECK(changesAtNextLook() == 0);
  CHECK(changesAtNextLook() == 0);
  first.add_(1);
  CHECK(changesAtNextLook() == 1);
  CHECK(changesAtNextLook() == 0);
  broadcast_model.buffers[0].second = first.clone(); // the first one lives on
  CHECK(changesAtNextLook() == 1);
  CHECK(changesAtNextLook() == 0);
  std::swap(broadcast_model.buffers[0].second, broadcast_model.buffers[1].second);
  CHECK(changesAtNextLook() == 2);
  broadcast_model.buffers.pop_back();
  CHECK(changesAtNextLook() == 0);
  broadcast_model.buffers.emplace_back("norm.more", at::ones({4}));
  CHECK(changesAtNextLook() == 1);
}

TEST_CASE_FIXTURE(BufferFixture, "only the first type of a forward looks, and the call of each type has its changes") {
  const at::Tensor count = at::ones({}, at::kLong);
  broadcast_model.buffers = {{"norm.table", at::ones({4})}, {"norm.count", count}};
  for (int forward = 1; forward <= 2; ++forward) {
    call();
    CHECK(call(c10::kLong).at(0).changes == 0);
    CHECK(broadcast_model.reads == forward);
  }
  count.add_(1);
  CHECK(changesAtNextLook() == 0);
  CHECK(call(c10::kLong).at(0).changes == 1);
  CHECK(call(c10::kLong).at(0).changes == 0);
}

TEST_CASE_FIXTURE(BufferFixture, "a running statistic may have changed at each look, for torch does not count it") {
  const at::Tensor mean = at::zeros({4});
  const at::Tensor variance = at::ones({4});
  const int64_t version = mean._version();
  at::batch_norm(at::rand({8, 4}), {}, {}, mean, variance, true, 0.1, 1e-5, false);
  CHECK(mean._version() == version);
  broadcast_model.buffers = {{"norm.running_mean", mean}};
  CHECK(changesAtNextLook() == 1);
  CHECK(changesAtNextLook() == 1);
}

TEST_CASE_FIXTURE(BufferFixture, "no buffer is kept alive, and no other tensor is taken for one that was freed") {
  broadcast_model.buffers = {{"norm.table", at::ones({4})}};
  CHECK(changesAtNextLook() == 0);
  for (int i = 0; i < 4; ++i) {
    const c10::weak_intrusive_ptr<c10::TensorImpl> freed(broadcast_model.buffers[0].second.getIntrusivePtr());
    broadcast_model.buffers[0].second = at::Tensor();
    CHECK(freed.expired());
    broadcast_model.buffers[0].second = at::ones({4});
    CHECK(changesAtNextLook() == 1);
  }
}

TEST_CASE_FIXTURE(BufferFixture, "a tensor without a version, and a process without Python, have no parts") {
  const auto made = [] {
    const c10::InferenceMode guard;
    return at::ones({4});
  };
  broadcast_model.buffers = {{"norm.table", made()}};
  CHECK(call().empty());
  setReadDdpBuffers(nullptr);
  CHECK(call().empty());
}

} // namespace
} // namespace commtap
