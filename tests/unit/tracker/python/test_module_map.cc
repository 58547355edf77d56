// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/module_map.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_host.h"
#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

/// A map, and `died`, the list of the dead weak references that its callback received.
class MapFixture : public HostFixture {
 public:
  MapFixture() {
    map_.setDeathCallback(callback_.get());
  }

 protected:
  /// Erases the references that died since the last call. Returns the id of the last of them.
  uint32_t eraseDead() {
    const PyRef died = torch_["died"];
    uint32_t id = ModuleMap::kUnknown;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(died.get()); ++i) {
      id = map_.erase(PyList_GET_ITEM(died.get(), i));
    }
    torch_.run("died.clear()");
    return id;
  }

  const FakeTorch torch_{"died = []\nnet = Net()\nimport weakref"};
  const PyRef callback_ = torch_["died.append"];
  ModuleMap map_{fakeHostTable()};
};

TEST_CASE_FIXTURE(MapFixture, "a module that was added is found by its object and by its id") {
  PyObject* const net = torch_["net"].get();
  CHECK(map_.find(net) == ModuleMap::kUnknown);
  CHECK(map_.add(net, 5));
  CHECK(map_.find(net) == 5);
  CHECK(map_.object(5) == net);
  CHECK(map_.object(6) == nullptr);
}

TEST_CASE_FIXTURE(MapFixture, "a map keeps no module alive, and erases one whose reference has died") {
  const PyRef net = torch_["net"];
  const Py_ssize_t before = referencesTo(net);
  CHECK(map_.add(net.get(), 5));
  CHECK(referencesTo(net) == before);
  PyObject* const other = torch_["globals().setdefault('other', Net())"].get();
  CHECK(map_.add(other, 6));
  torch_.run("del other");
  CHECK(eraseDead() == 6);
  CHECK(map_.object(6) == nullptr);
  CHECK(map_.find(other) == ModuleMap::kUnknown);
  CHECK(map_.find(net.get()) == 5);
}

TEST_CASE_FIXTURE(MapFixture, "an id that a later module has is still that module's when the earlier one dies") {
  CHECK(map_.add(torch_["net"].get(), 5));
  PyObject* const heir = torch_["globals().setdefault('heir', Net())"].get();
  CHECK(map_.add(heir, 5));
  torch_.run("del net");
  eraseDead();
  CHECK(map_.object(5) == heir);
}

TEST_CASE_FIXTURE(MapFixture, "a transparent module is found, but is no module of an id") {
  PyObject* const net = torch_["net"].get();
  CHECK(map_.add(net, ModuleMap::kTransparent));
  CHECK(map_.find(net) == ModuleMap::kTransparent);
  CHECK(map_.object(ModuleMap::kTransparent) == nullptr);
}

TEST_CASE_FIXTURE(MapFixture, "an object without weak references, or without memory for it, is not kept") {
  torch_.run(R"(
class Slotted:
    __slots__ = ()
slotted = Slotted()
)");
  PyObject* const slotted = torch_["slotted"].get();
  CHECK_FALSE(map_.add(slotted, 5));
  CHECK(PyErr_Occurred() == nullptr);
  CHECK(map_.find(slotted) == ModuleMap::kUnknown);
  fakeHost().has_memory = false;
  CHECK_FALSE(map_.add(torch_["net"].get(), 5));
  CHECK(map_.object(5) == nullptr);
  CHECK(torch_.text("weakref.getweakrefcount(net)") == "0");
}

TEST_CASE_FIXTURE(MapFixture, "a reference that is not the map's is erased from nothing") {
  CHECK(map_.add(torch_["net"].get(), 5));
  CHECK(map_.erase(torch_["weakref.ref(net, lambda _: None)"].get()) == ModuleMap::kUnknown);
  CHECK(map_.object(5) != nullptr);
}

} // namespace
} // namespace commtap
