// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/wrappers.h"

#include <doctest/doctest.h>

#include "tests/unit/tracker/python/fake_torch.h"

namespace commtap {
namespace {

TEST_CASE("a base is found by its name at any distance") {
  const FakeTorch torch("class Deep(type('Mid', (Net,), {})): pass");
  const PyRef object = torch["Deep()"];
  CHECK(inheritsFrom(object.get(), "Deep"));
  CHECK(inheritsFrom(object.get(), "Net"));
  CHECK(inheritsFrom(object.get(), "Module"));
  CHECK_FALSE(inheritsFrom(object.get(), "Linear"));
}

TEST_CASE("an object is a module once it has been initialized, whatever else is called Module") {
  const FakeTorch torch(R"(
class Early(Module):
    def __init__(self): pass
class Odd(Module):
    def __init__(self): self._modules = [1]
)");
  CHECK(isModule(torch["Net()"].get()));
  CHECK_FALSE(isModule(torch["Early()"].get()));
  CHECK_FALSE(isModule(torch["Odd()"].get()));
  CHECK_FALSE(isModule(torch["type('Other', (), {'_modules': {}})()"].get()));
  CHECK_FALSE(isModule(torch["17"].get()));
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("the children of a scripted module are those of its Python module") {
  const FakeTorch torch(R"(
net = Net()
net._modules = types.SimpleNamespace(_python_modules={"fc": Linear()})
)");
  const PyRef net = torch["net"];
  REQUIRE(childrenOf(net.get()) != nullptr);
  CHECK(PyDict_GetItemString(childrenOf(net.get()), "fc") == torch["net._modules._python_modules['fc']"].get());
}

TEST_CASE("the children of a scripted module are not made by the job's code, which could drop them at once") {
  const FakeTorch torch(R"(
asked = []
class Made:
    @property
    def _python_modules(self):
        asked.append(self)
        return {"fc": Linear()}
net = Net()
net._modules = Made()
)");
  CHECK(childrenOf(torch["net"].get()) == nullptr);
  CHECK(torch.text("asked") == "[]");
}

TEST_CASE("children and variables are read without the job's __getattr__") {
  const FakeTorch torch(R"(
asked = []
class Asking(Module):
    def __getattribute__(self, name):
        asked.append(name)
        return object.__getattribute__(self, name)
    def __getattr__(self, name):
        raise RuntimeError(name)
net = Asking({"fc": Linear()})
asked.clear()
)");
  const PyRef net = torch["net"];
  CHECK(PyDict_Size(childrenOf(net.get())) == 1);
  CHECK(PyDict_GetItemString(dictOf(net.get()), "_buffers") != nullptr);
  CHECK(directlyWrappedBy(net.get()) == nullptr);
  CHECK(torch.text("asked") == "[]");
}

TEST_CASE("a module's own parameters are in a dict, or it has none") {
  const FakeTorch torch(R"(
net = Net()
net._parameters = {"weight": 17}
odd = Net()
odd._parameters = [17]
)");
  REQUIRE(parametersOf(torch["net"].get()) != nullptr);
  CHECK(PyDict_Size(parametersOf(torch["net"].get())) == 1);
  CHECK(parametersOf(torch["odd"].get()) == nullptr);
  CHECK(parametersOf(torch["17"].get()) == nullptr);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("an object without variables has no children and leaves no error") {
  const FakeTorch torch;
  CHECK(dictOf(torch["17"].get()) == nullptr);
  CHECK(childrenOf(torch["17"].get()) == nullptr);
  CHECK(PyErr_Occurred() == nullptr);
}

TEST_CASE("a known wrapper's component is one, and the only child of a class that just forwards") {
  const FakeTorch torch(R"(
both = Net({"module": Linear(), "head": Linear()})
owning = Net({"module": Linear()}, {"weight": 1})
)");
  CHECK(isWrapperComponent(torch["DistributedDataParallel(Net())"].get(), "module"));
  CHECK(isWrapperComponent(torch["type('Mine', (DistributedDataParallel,), {})(Net())"].get(), "module"));
  CHECK(isWrapperComponent(torch["Net()"].get(), "_orig_mod"));
  CHECK(isWrapperComponent(torch["Net({'module': Linear()})"].get(), "module"));
  CHECK_FALSE(isWrapperComponent(torch["both"].get(), "module"));
  CHECK_FALSE(isWrapperComponent(torch["owning"].get(), "module"));
  CHECK_FALSE(isWrapperComponent(torch["Net({'fc': Linear()})"].get(), "fc"));
}

TEST_CASE("the wrapped module is the innermost one; a wrapper around itself ends") {
  const FakeTorch torch(R"(
net = Net({"fc": Linear()})
wrapped = DistributedDataParallel(Module({"_orig_mod": net}))
loop = Module()
loop._modules["_orig_mod"] = loop
)");
  CHECK(wrappedBy(torch["wrapped"].get()) == torch["net"].get());
  CHECK(directlyWrappedBy(torch["wrapped"].get()) == torch["wrapped._modules['module']"].get());
  CHECK(wrappedBy(torch["net"].get()) == torch["net"].get());
  CHECK(directlyWrappedBy(torch["Module({'_orig_mod': None})"].get()) == nullptr);
  CHECK(wrappedBy(torch["loop"].get()) == torch["loop"].get());
}

TEST_CASE("a class that a library made of the user's is named as the user's") {
  const FakeTorch torch(R"(
FSDPNet = type("FSDPNet", (FSDPModule, Net), {})
ParametrizedFSDPNet = type("ParametrizedFSDPNet", (FSDPNet,), {})
FSDPOther = type("FSDPOther", (FSDPModule, Net), {})
ParametrizedNet = type("ParametrizedNet", (Net, FSDPModule), {})
)");
  CHECK(userClassName(torch["FSDPNet()"].get()) == "Net");
  CHECK(classChain(torch["FSDPNet()"].get()) == "FSDPModule/Net");
  CHECK(className(torch["FSDPNet()"].get()) == "FSDPNet");
  CHECK(classChain(torch["ParametrizedFSDPNet()"].get()) == "parametrize/FSDPModule/Net");
  CHECK(classChain(torch["FSDPOther()"].get()) == "FSDPOther");
  CHECK(classChain(torch["ParametrizedNet()"].get()) == "ParametrizedNet");
  CHECK(classChain(torch["Net()"].get()) == "Net");
}

} // namespace
} // namespace commtap
