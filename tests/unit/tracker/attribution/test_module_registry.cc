// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/module_registry.h"

#include <array>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>

#include "tests/unit/torch_doctest.h"

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

ModuleRegistry& modules() {
  return ModuleRegistry::get();
}

std::string nameOf(const TrackerFixture& tracker, uint32_t id) {
  return tracker.report().modules.at(id).raw_name;
}

uint32_t addPlain(uint32_t parent, std::string_view component) {
  return modules().add(parent, component, "C", ModuleRole::kPlain, false);
}

TEST_CASE_FIXTURE(TrackerFixture, "names are unique among live modules, and reused after a module is destroyed") {
  const uint32_t first = addPlain(0, "Twice");
  const uint32_t second = addPlain(0, "Twice");
  CHECK(nameOf(*this, first) == "Twice");
  CHECK(nameOf(*this, second) == "Twice#2");
  modules().died(first);
  CHECK(addPlain(0, "Twice") == first);
  CHECK(nameOf(*this, addPlain(0, "Twice")) == "Twice#3");
}

TEST_CASE_FIXTURE(TrackerFixture, "a module is found by its path, though containers have no row") {
  const uint32_t root = addPlain(0, "Pathed");
  const uint32_t layer = addPlain(root, "blocks.0");
  const uint32_t inner = addPlain(layer, "mlp.down");
  const uint32_t shorter = addPlain(root, "blocks");
  CHECK(modules().below(root, "") == root);
  CHECK(modules().below(root, "blocks") == shorter);
  CHECK(modules().below(root, "blocks.0") == layer);
  CHECK(modules().below(root, "blocks.0.mlp.down") == inner);
  CHECK_FALSE(modules().below(root, "blocks.0.mlp"));
  CHECK_FALSE(modules().below(root, "blocks.1"));
  CHECK_FALSE(modules().below(1U << 30U, "blocks"));
  modules().died(inner);
  CHECK_FALSE(modules().below(root, "blocks.0.mlp.down"));
}

TEST_CASE_FIXTURE(TrackerFixture, "a path that several roots have is of none of them") {
  const uint32_t one = addPlain(0, "Rooted");
  const uint32_t part = addPlain(one, "only.here");
  CHECK(modules().onlyBelowARoot("only.here") == part);
  CHECK_FALSE(modules().onlyBelowARoot("only.there"));
  CHECK_FALSE(modules().onlyBelowARoot(""));
  const uint32_t other = addPlain(0, "Rooted");
  addPlain(other, "only.here");
  CHECK_FALSE(modules().onlyBelowARoot("only.here"));
  modules().died(other);
  CHECK(modules().onlyBelowARoot("only.here") == part);
}

TEST_CASE_FIXTURE(TrackerFixture, "a root that turns out to be a child moves, a child does not") {
  const uint32_t parent = addPlain(0, "Parent");
  const uint32_t child = addPlain(0, "Child");
  modules().reparent(child, parent, "net");
  CHECK(nameOf(*this, child) == "Parent.net");
  modules().reparent(child, 0, "elsewhere");
  CHECK(nameOf(*this, child) == "Parent.net");
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "a root takes a name that the root before it has given up, and keeps its clean name") {
  const uint32_t unit = addPlain(0, "Sharded");
  const uint32_t root =
      modules().add({.parent = 0, .component = "Sharded", .class_name = "Sharded", .clean = "GivenUp"});
  modules().reparent(root, 0, "Sharded");
  CHECK(nameOf(*this, root) == "Sharded#2");
  modules().reparent(unit, root, "layers.0");
  modules().reparent(root, 0, "Sharded");
  CHECK(nameOf(*this, root) == "Sharded");
  CHECK(nameOf(*this, unit) == "Sharded.layers.0");
  CHECK(modules().nameOf(unit, ModuleName::kClean) == "GivenUp.layers.0");
}

TEST_CASE_FIXTURE(TrackerFixture, "a root with a destroyed module's rows does not move: they are not its parent's") {
  const uint32_t dead = addPlain(0, "Lone");
  modules().died(dead);
  const uint32_t parent = addPlain(0, "LateParent");
  const uint32_t child = addPlain(0, "Lone");
  CHECK(child == dead);
  modules().reparent(child, parent, "net");
  CHECK(nameOf(*this, child) == "Lone");
}

TEST_CASE_FIXTURE(TrackerFixture, "parameters are wanted once") {
  const uint32_t module = addPlain(0, "WithParameters");
  CHECK(modules().wantsParameters(module));
  CHECK_FALSE(modules().wantsParameters(module));
  CHECK_FALSE(modules().wantsParameters(0xfffffff0U));
}

TEST_CASE_FIXTURE(TrackerFixture, "a tensor and its memory have an owner") {
  const uint32_t module = addPlain(0, "Owner");
  const at::Tensor tensor = at::ones({3});
  modules().addParameter(module, tensor.unsafeGetTensorImpl(), tensor.storage());
  CHECK(modules().ownerOfTensor(tensor.unsafeGetTensorImpl()) == module);
  CHECK(modules().ownerOfStorage(tensor.storage()) == module);
  CHECK(modules().ownerOfStorage(tensor.view({3, 1}).storage()) == module);
  CHECK(modules().ownerOfStorage(at::ones({3}).storage()) == std::nullopt);
  CHECK(modules().ownerOfTensor(nullptr) == std::nullopt);
  CHECK(modules().ownerOfStorage({}) == std::nullopt);
}

TEST_CASE_FIXTURE(TrackerFixture, "of two modules of a model that share a parameter the first owns it") {
  const uint32_t root = addPlain(0, "Tied");
  const uint32_t embedding = addPlain(root, "embedding");
  const uint32_t output = addPlain(root, "output");
  const at::Tensor weight = at::ones({3});
  const auto owner_after = [&weight](uint32_t module) {
    modules().addParameter(module, weight.unsafeGetTensorImpl(), weight.storage());
    const std::optional<uint32_t> owner = modules().ownerOfTensor(weight.unsafeGetTensorImpl());
    CHECK(modules().ownerOfStorage(weight.storage()) == owner);
    return owner;
  };
  CHECK(owner_after(embedding) == embedding);
  CHECK(owner_after(output) == embedding);
  const uint32_t later = addPlain(0, "OfAnotherModel");
  CHECK(owner_after(later) == later);
  modules().died(later);
  CHECK(owner_after(output) == output);
}

TEST_CASE_FIXTURE(TrackerFixture, "memory that was freed and allocated again has no owner") {
  const uint32_t module = addPlain(0, "Moved");
  std::array<float, 3> memory{};
  const auto allocate = [&memory] { return at::from_blob(memory.data(), {3}); };
  for (int i = 0; i < 100; ++i) {
    const at::Tensor tensor = allocate();
    CHECK(modules().ownerOfStorage(tensor.storage()) == std::nullopt);
    modules().addParameter(module, tensor.unsafeGetTensorImpl(), tensor.storage());
    CHECK(modules().ownerOfStorage(tensor.storage()) == module);
  }
}

TEST_CASE_FIXTURE(TrackerFixture, "the memory of a parameter is freed with it") {
  const uint32_t module = addPlain(0, "Freed");
  at::Tensor tensor = at::ones({3});
  const c10::weak_intrusive_ptr<c10::StorageImpl> storage = tensor.storage().getWeakStorageImpl();
  modules().addParameter(module, tensor.unsafeGetTensorImpl(), tensor.storage());
  tensor.reset();
  CHECK(storage.expired());
}

TEST_CASE_FIXTURE(TrackerFixture, "roles are found upwards, nearest and farthest") {
  const uint32_t root = modules().add(0, "Fsdp", "C", ModuleRole::kFsdp2, false);
  const uint32_t layers = addPlain(root, "layers");
  const uint32_t unit = modules().add(layers, "0", "C", ModuleRole::kFsdp2, false);
  const uint32_t leaf = addPlain(unit, "net");
  CHECK(modules().nearest(leaf, ModuleRole::kFsdp2) == unit);
  CHECK(modules().farthest(leaf, ModuleRole::kFsdp2) == root);
  CHECK(modules().nearest(leaf, ModuleRole::kDdp) == std::nullopt);
  CHECK(modules().nearest(0, ModuleRole::kFsdp2) == std::nullopt);
}

TEST_CASE_FIXTURE(TrackerFixture, "the common ancestor is the nearest module around both, or one of them") {
  const uint32_t root = addPlain(0, "Family");
  const uint32_t left = addPlain(root, "left");
  const uint32_t leaf = addPlain(left, "leaf");
  const uint32_t right = addPlain(root, "right");
  CHECK(modules().commonAncestor(leaf, right) == root);
  CHECK(modules().commonAncestor(leaf, left) == left);
  CHECK(modules().commonAncestor(left, leaf) == left);
  CHECK(modules().commonAncestor(leaf, leaf) == leaf);
  CHECK(modules().commonAncestor(leaf, addPlain(0, "Stranger")) == 0);
  CHECK(modules().commonAncestor(leaf, 0) == 0);
}

TEST_CASE_FIXTURE(TrackerFixture, "memory of several modules' parameters belongs to their common ancestor") {
  const uint32_t root = addPlain(0, "Flat");
  const uint32_t left = addPlain(root, "left");
  const uint32_t right = addPlain(root, "right");
  const at::Tensor tensor = at::ones({3});
  const c10::Storage& storage = tensor.storage();
  modules().addParameter(left, nullptr, storage);
  modules().addParameter(left, nullptr, storage);
  CHECK(modules().ownerOfStorage(storage) == left);
  modules().addParameter(right, nullptr, storage);
  CHECK(modules().ownerOfStorage(storage) == root);
  CHECK(modules().rootOf(right) == root);
  const uint32_t later = addPlain(0, "OfAnotherModel");
  modules().addParameter(later, nullptr, storage);
  CHECK(modules().ownerOfStorage(storage) == later);
}

TEST_CASE_FIXTURE(TrackerFixture, "an FSDP2 unit of several modules is their nearest common ancestor") {
  const uint32_t root = modules().add(0, "GroupedRoot", "C", ModuleRole::kFsdp2, false);
  const uint32_t block = addPlain(root, "block");
  addPlain(block, "norm");
  addPlain(block, "output");
  addPlain(root, "head");
  CHECK(modules().fsdp2Unit(root, "block.norm, block.output") == block);
  CHECK(modules().fsdp2Unit(root, "block.norm, head") == root);
  CHECK(modules().fsdp2Unit(root, "block.norm, nobody") == std::nullopt);
}

TEST_CASE_FIXTURE(TrackerFixture, "FSDP2 units are named below the FSDP root, with wrappers or without") {
  const uint32_t root = modules().add(0, "FsdpRoot", "C", ModuleRole::kFsdp2, false);
  const uint32_t wrapper = modules().add(root, "_checkpoint_wrapped_module", "C", ModuleRole::kPlain, true);
  const uint32_t unit = modules().add(wrapper, "block", "C", ModuleRole::kFsdp2, false);
  CHECK(modules().fsdp2Unit(unit, "") == root);
  CHECK(modules().fsdp2Unit(unit, "block") == unit);
  CHECK(modules().fsdp2Unit(root, "_checkpoint_wrapped_module.block") == unit);
  CHECK(modules().fsdp2Unit(root, "nobody") == std::nullopt);
  CHECK(modules().fsdp2Unit(0, "block") == std::nullopt);
}

TEST_CASE_FIXTURE(TrackerFixture, "the lowest free number of a name is reused") {
  std::vector<uint32_t> ids;
  for (int i = 0; i < 1000; ++i) {
    ids.push_back(addPlain(0, "Same"));
  }
  CHECK(nameOf(*this, ids.back()) == "Same#1000");
  modules().died(ids[2]);
  modules().died(ids[1]);
  CHECK(addPlain(0, "Same") == ids[1]);
  CHECK(addPlain(0, "Same") == ids[2]);
  CHECK(nameOf(*this, addPlain(0, "Same")) == "Same#1001");
}

TEST_CASE_FIXTURE(TrackerFixture, "tensors of destroyed modules are dropped before they fill the memory") {
  const uint32_t lives = addPlain(0, "Lives");
  const at::Tensor kept = at::ones({});
  modules().addParameter(lives, kept.unsafeGetTensorImpl(), {});
  for (size_t i = 1; i < 300'000; ++i) {
    const uint32_t module = addPlain(0, "Dropped");
    modules().addParameter(module, at::empty({0}).unsafeGetTensorImpl(), {});
    modules().died(module);
  }
  CHECK(modules().ownedTensors() < 100'000);
  CHECK(modules().ownerOfTensor(kept.unsafeGetTensorImpl()) == lives);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "a parameter that has moved is found in its new memory, and no more in freed memory") {
  const uint32_t module = addPlain(0, "Mover");
  const at::Tensor tensor = at::ones({3});
  modules().addParameter(module, tensor.unsafeGetTensorImpl(), tensor.storage());
  std::array<float, 3> memory{};
  for (int i = 0; i < 3; ++i) {
    tensor.set_data(at::from_blob(memory.data(), {3}));
    CHECK(modules().ownerOfStorage(tensor.storage()) == std::nullopt);
    CHECK(modules().ownerOfMoved(tensor.storage()) == module);
    CHECK(modules().ownerOfStorage(tensor.storage()) == module);
  }
  tensor.set_data(at::ones({3}));
  const at::Tensor other = at::from_blob(memory.data(), {3});
  CHECK(modules().ownerOfMoved(other.storage()) == std::nullopt);
  CHECK(modules().ownerOfMoved({}) == std::nullopt);
}

TEST_CASE_FIXTURE(TrackerFixture, "a flat buffer that parameters were moved into belongs to their common ancestor") {
  const uint32_t root = addPlain(0, "LateFlat");
  std::vector<at::Tensor> parameters;
  for (const char* name : {"left", "right"}) {
    parameters.push_back(at::ones({4}));
    modules().addParameter(addPlain(root, name), parameters.back().unsafeGetTensorImpl(), parameters.back().storage());
  }
  const at::Tensor flat = at::ones({8});
  parameters[0].set_data(flat.narrow(0, 0, 4));
  parameters[1].set_data(flat.narrow(0, 4, 4));
  CHECK(modules().ownerOfMoved(flat.storage()) == root);
  CHECK(modules().ownerOfMoved(at::ones({8}).storage()) == std::nullopt);
}

uint32_t addNamed(std::string_view component, std::string_view clean, uint32_t wrapped = 0xffffffffU) {
  return modules().add({.component = component, .class_name = "C", .clean = clean, .wrapped = wrapped});
}

std::string cleanNameOf(uint32_t id) {
  return modules().nameOf(id, ModuleName::kClean);
}

TEST_CASE_FIXTURE(TrackerFixture, "clean names of roots are the user's classes, unique among themselves") {
  const uint32_t ddp = addNamed("CleanDdp", "CleanNet");
  const uint32_t plain = addNamed("CleanNet", "CleanNet");
  const uint32_t other = addNamed("CleanDdp", "CleanOther");
  CHECK(cleanNameOf(ddp) == "CleanNet");
  CHECK(cleanNameOf(plain) == "CleanNet#2");
  CHECK(cleanNameOf(other) == "CleanOther");
  CHECK(nameOf(*this, other) == "CleanDdp#2");
  CHECK(report().modules.at(plain).name == "CleanNet#2");
  modules().died(ddp);
  CHECK(addNamed("CleanDdp", "CleanOther") != ddp);
  CHECK(addNamed("CleanDdp", "CleanNet") == ddp);
}

TEST_CASE_FIXTURE(TrackerFixture, "a wrapper of a root has the root's clean name, and the root moves below it") {
  const uint32_t net = addNamed("WrappedNet", "WrappedNet");
  const uint32_t wrapper = addNamed("Compiled", "WrappedNet", net);
  modules().reparent(net, wrapper, "_orig_mod", true);
  for (const uint32_t id : {net, wrapper}) {
    CHECK(cleanNameOf(id) == "WrappedNet");
    CHECK(report().modules.at(id).name == "WrappedNet");
  }
  CHECK(nameOf(*this, net) == "Compiled._orig_mod");
  CHECK(report().modules.at(net).wrappers == std::vector<std::string>{"C"});
  CHECK(cleanNameOf(addNamed("WrappedNet", "WrappedNet")) == "WrappedNet#2");
}

TEST_CASE_FIXTURE(TrackerFixture, "the clean name of a root that has moved is free again") {
  const uint32_t child = addNamed("MovingNet", "MovingNet");
  modules().reparent(child, addNamed("MovingParent", "MovingParent"), "net");
  CHECK(cleanNameOf(child) == "MovingParent.net");
  CHECK(cleanNameOf(addNamed("MovingNet", "MovingNet")) == "MovingNet");
}

} // namespace
} // namespace commtap
