// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <Python.h>

#include <string>
#include <string_view>
#include <utility>

#include "tracker/cpython/py_ref.h"
#include "tracker/graphs/compile_watch.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
    }
    json += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return json + "\"";
}

/// Returns a JSON array of `item(element)` for each element; "[]" if `sequence` is not a sequence.
template <typename Item>
std::string jsonList(PyObject* sequence, Item item) {
  std::string json = "[";
  const PyRef fast(sequence == nullptr ? nullptr : PySequence_Fast(sequence, ""));
  for (Py_ssize_t i = 0; fast && i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
    json += (i == 0 ? "" : ",") + item(PySequence_Fast_GET_ITEM(fast.get(), i));
  }
  PyErr_Clear();
  return json + "]";
}

/// Returns an int as text; "-1" for a symbolic size or any other object.
std::string integerText(PyObject* value) {
  const long long number = PyLong_Check(value) ? PyLong_AsLongLong(value) : -1;
  PyErr_Clear();
  return std::to_string(number);
}

std::string quotedText(PyObject* value) {
  return quoted(textOf(value));
}

/// Returns a placement's repr as a JSON string: "Shard(dim=0)".
std::string quotedRepr(PyObject* value) {
  const PyRef repr(PyObject_Repr(value));
  return quoted(textOf(repr.get()));
}

std::string meshJson(PyObject* mesh) {
  const PyRef names = attribute(mesh, torch_names::kMeshDimensionNames);
  const PyRef shape = attribute(mesh, torch_names::kShape);
  const PyRef device = attribute(mesh, torch_names::kMeshDeviceType);
  PyErr_Clear();
  const bool named = names && names.get() != Py_None;
  return "{\"device_type\":" + quotedText(device.get()) +
         ",\"dim_names\":" + (named ? jsonList(names.get(), quotedText) : "null") +
         ",\"shape\":" + jsonList(shape.get(), integerText) + "}";
}

std::string dtypeText(PyObject* tensor) {
  const PyRef dtype = attribute(tensor, torch_names::kDtype);
  const std::string text = textOf(dtype.get());
  return text.starts_with(torch_names::kDtypePrefix) ? text.substr(torch_names::kDtypePrefix.size()) : text;
}

std::string shapeText(PyObject* tensor) {
  const PyRef shape = attribute(tensor, torch_names::kShape);
  return shape ? jsonList(shape.get(), integerText) : std::string();
}

void reportParameter(const CommtapHost& host, uint32_t module, const std::string& name, PyObject* tensor, bool wanted) {
  host.own_tensor(module, tensorImpl(tensor));
  if (!wanted) {
    return;
  }
  TensorFacts facts;
  if (!readTensorFacts(tensor, facts)) {
    host.not_seen_module(name.c_str());
    return;
  }
  const CommtapParameterFacts plain{
      name.c_str(),
      facts.shape.c_str(),
      facts.local_shape.c_str(),
      facts.dtype.c_str(),
      facts.mesh.c_str(),
      facts.placements.c_str(),
      facts.requires_grad ? 1 : 0};
  host.add_parameter(module, &plain);
}

} // namespace

std::string integersJson(PyObject* sequence) {
  return jsonList(sequence, integerText);
}

std::string textsJson(PyObject* sequence) {
  return jsonList(sequence, quotedText);
}

bool readTensorFacts(PyObject* tensor, TensorFacts& facts) {
  facts.shape = facts.local_shape = shapeText(tensor);
  facts.dtype = dtypeText(tensor);
  const PyRef requires_grad = attribute(tensor, torch_names::kRequiresGrad);
  facts.requires_grad = requires_grad && PyObject_IsTrue(requires_grad.get()) == 1;
  const PyRef spec = attribute(tensor, torch_names::kDtensorSpec); // a DTensor's mesh and placements
  const PyRef local = attribute(tensor, torch_names::kLocalTensor);
  PyErr_Clear();
  if (spec && local) {
    const PyRef mesh = attribute(spec.get(), torch_names::kSpecsMesh);
    const PyRef placements = attribute(spec.get(), torch_names::kPlacements);
    facts.mesh = meshJson(mesh.get());
    facts.placements = jsonList(placements.get(), quotedRepr);
    facts.local_shape = shapeText(local.get());
  }
  PyErr_Clear();
  return !facts.shape.empty();
}

void* tensorImpl(PyObject* tensor) {
  const PyRef address = attribute(tensor, torch_names::kTensorImpl);
  void* impl = address ? PyLong_AsVoidPtr(address.get()) : nullptr;
  PyErr_Clear();
  return impl;
}

void reportParameters(const CommtapHost& host, PyObject* module_dict, uint32_t module) {
  PyObject* parameters = PyDict_GetItemString(module_dict, torch_names::kParameters);
  if (parameters == nullptr || !PyDict_Check(parameters) || PyDict_Size(parameters) == 0) {
    return;
  }
  const PlainTensors plain(host);
  const bool wanted = host.wants_parameters(module) != 0;
  PyObject* name = nullptr;
  PyObject* tensor = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(parameters, &at, &name, &tensor) != 0;) {
    if (tensor != Py_None) {
      const PyRef keep = PyRef::borrow(tensor);
      reportParameter(host, module, textOf(name), tensor, wanted);
    }
  }
}

void reportFlatParameter(const CommtapHost& host, PyObject* module_dict, uint32_t module) {
  const PlainTensors plain(host);
  PyObject* handle = PyDict_GetItemString(module_dict, torch_names::kFsdp1Handle);
  const PyRef flat = handle == nullptr || handle == Py_None ? PyRef() : attribute(handle, torch_names::kFlatParameter);
  if (flat) {
    host.own_tensor(module, tensorImpl(flat.get()));
  }
  PyErr_Clear();
}

namespace {

constexpr int kMostUnknownLevels = 200; ///< nesting of modules that have no id

std::string moduleName(const CommtapHost& host, uint32_t id) {
  std::string name;
  host.module_name(
      id, [](void* data, const char* text) { *static_cast<std::string*>(data) = text; }, &name);
  return name;
}

/// Returns the global ranks of a process group as a JSON list; "" if they are not known.
std::string ranksOfGroup(PyObject* group) {
  PyObject* file = PyDict_GetItemString(PyImport_GetModuleDict(), torch_names::kGroupsFile);
  PyObject* contents = file == nullptr || !PyModule_Check(file) ? nullptr : PyModule_GetDict(file);
  PyObject* all = contents == nullptr ? nullptr : PyDict_GetItemString(contents, torch_names::kRanksOfGroups);
  PyObject* ranks = all != nullptr && PyDict_Check(all) && group != nullptr ? PyDict_GetItem(all, group) : nullptr;
  const PyRef list(ranks != nullptr && PyDict_Check(ranks) ? PyDict_Keys(ranks) : nullptr);
  PyErr_Clear();
  return list ? integersJson(list.get()) : "";
}

} // namespace

ParameterNames::ParameterNames(const CommtapHost& host, const ModuleMap& modules) : modules_(modules) {
  const std::vector<std::pair<uint32_t, PyRef>> live = modules.live();
  for (const auto& [id, module] : live) {
    addTree(module.get(), moduleName(host, id), 0);
  }
  for (const auto& [id, module] : live) {
    if (inheritsFrom(module.get(), torch_names::kDistributedDataParallel)) {
      addDdp(module.get());
    } else if (inheritsFrom(module.get(), torch_names::kFullyShardedDataParallel)) {
      addFsdp1(module.get());
    }
  }
}

/// Adds the parameters of a module and of those below it that have no id: they were registered after the last walk, or
/// only hold modules.
void ParameterNames::addTree(PyObject* module, const std::string& name, int depth) {
  if (depth == kMostUnknownLevels || !visited_.insert(module).second) {
    return;
  }
  addOwn(module, name);
  addBuffers(module, name);
  PyObject* children = childrenOf(module);
  PyObject* component = nullptr;
  PyObject* child = nullptr;
  for (Py_ssize_t at = 0; children != nullptr && PyDict_Next(children, &at, &component, &child) != 0;) {
    const uint32_t id = child == Py_None ? ModuleMap::kTransparent : modules_.find(child);
    if (child != Py_None && (id == ModuleMap::kUnknown || id == ModuleMap::kTransparent)) {
      const std::string below = textOf(component);
      std::string child_name = name;
      if (!isWrapperComponent(module, below.c_str())) {
        child_name.append(".").append(below);
      }
      addTree(child, child_name, depth + 1);
    }
  }
}

void ParameterNames::addOwn(PyObject* module, const std::string& name) {
  PyObject* parameters = parametersOf(module);
  PyObject* own_name = nullptr;
  PyObject* tensor = nullptr;
  for (Py_ssize_t at = 0; parameters != nullptr && PyDict_Next(parameters, &at, &own_name, &tensor) != 0;) {
    if (isTensor(tensor) && index_.emplace(tensor, all_.size()).second) {
      all_.push_back({PyRef::borrow(tensor), name + "." + textOf(own_name)});
    }
  }
}

void ParameterNames::addBuffers(PyObject* module, const std::string& name) {
  PyObject* dict = dictOf(module);
  PyObject* buffers = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kBuffers);
  PyObject* unsaved = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kUnsavedBuffers);
  const bool has_unsaved = unsaved != nullptr && PySet_Check(unsaved);
  PyObject* own_name = nullptr;
  PyObject* tensor = nullptr;
  for (Py_ssize_t at = 0;
       buffers != nullptr && PyDict_Check(buffers) && PyDict_Next(buffers, &at, &own_name, &tensor) != 0;) {
    if (isTensor(tensor) && !(has_unsaved && PySet_Contains(unsaved, own_name) == 1)) {
      buffers_.push_back({PyRef::borrow(tensor), name + "." + textOf(own_name)});
    }
  }
  PyErr_Clear();
}

void ParameterNames::addDdp(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* list = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kDdpParameters);
  if (list == nullptr || !PyList_Check(list)) {
    return;
  }
  std::string ranks = ranksOfGroup(PyDict_GetItemString(dict, torch_names::kDdpGroup));
  for (Py_ssize_t i = 0; !ranks.empty() && i < PyList_GET_SIZE(list); ++i) {
    ddp_.emplace(PyList_GET_ITEM(list, i), ddp_ranks_.size());
  }
  ddp_ranks_.push_back(std::move(ranks));
}

namespace {

/// Returns item `i` of a list or tuple in a dict; nullptr if there is none.
PyRef itemOf(PyObject* dict, const char* name, Py_ssize_t i) {
  PyObject* list = PyDict_GetItemString(dict, name);
  PyRef item(list == nullptr ? nullptr : PySequence_GetItem(list, i));
  PyErr_Clear();
  return item;
}

/// Returns what this rank has of the original parameter number `i` of a flat one with these attributes.
ParameterNames::FlatPart flatPart(PyObject* flat, Py_ssize_t i) {
  const PyRef shape = itemOf(flat, torch_names::kFlatShapes, i);
  const PyRef part = itemOf(flat, torch_names::kFlatParts, i);
  const PyRef start = attribute(part.get(), torch_names::kFlatPartStart);
  PyErr_Clear();
  if (!shape || !start) {
    return {};
  }
  const long first = start.get() == Py_None ? 0 : PyLong_AsLong(start.get());
  PyErr_Clear();
  return {integersJson(shape.get()), first};
}

} // namespace

void ParameterNames::addFsdp1(PyObject* module) {
  PyObject* dict = dictOf(module);
  PyObject* handle = dict == nullptr ? nullptr : PyDict_GetItemString(dict, torch_names::kFsdp1Handle);
  const PyRef flat = attribute(handle, torch_names::kFlatParameter);
  PyErr_Clear();
  PyObject* facts = flat ? dictOf(flat.get()) : nullptr;
  for (const char* name : {torch_names::kFlatOriginals, torch_names::kFlatSharedOriginals}) {
    PyObject* list = facts == nullptr ? nullptr : PyDict_GetItemString(facts, name);
    const bool has_parts = name == torch_names::kFlatOriginals;
    for (Py_ssize_t i = 0; list != nullptr && PyList_Check(list) && i < PyList_GET_SIZE(list); ++i) {
      in_flat_.emplace(PyList_GET_ITEM(list, i), has_parts ? flatPart(facts, i) : FlatPart());
    }
  }
}

const std::string* ParameterNames::nameOf(PyObject* tensor) const {
  const auto found = index_.find(tensor);
  return found == index_.end() ? nullptr : &all_[found->second].name;
}

const std::string& ParameterNames::ddpRanksOf(PyObject* tensor) const {
  static const std::string none;
  const auto found = ddp_.find(tensor);
  return found == ddp_.end() ? none : ddp_ranks_[found->second];
}

const ParameterNames::FlatPart& ParameterNames::flatPartOf(PyObject* tensor) const {
  static const FlatPart none;
  const auto found = in_flat_.find(tensor);
  return found == in_flat_.end() ? none : found->second;
}

namespace {

constexpr int kMaxNesting = 4;       // of containers
constexpr Py_ssize_t kMaxItems = 64; // of one container

class Collected {
 public:
  Collected(void** tensors, size_t capacity) : tensors_(tensors), capacity_(capacity) {}

  void add(PyObject* object, int depth) {
    if (isTensor(object)) {
      addTensor(object);
    } else if (PyTuple_Check(object) || PyList_Check(object)) {
      for (Py_ssize_t i = 0; depth < kMaxNesting && i < PySequence_Fast_GET_SIZE(object) && i < kMaxItems; ++i) {
        add(PySequence_Fast_GET_ITEM(object, i), depth + 1);
      }
    } else if (PyDict_Check(object)) {
      PyObject* name = nullptr;
      PyObject* value = nullptr;
      Py_ssize_t at = 0;
      for (Py_ssize_t i = 0; depth < kMaxNesting && i < kMaxItems && PyDict_Next(object, &at, &name, &value) != 0;
           ++i) {
        add(value, depth + 1);
      }
    }
  }
  size_t count() const {
    return count_;
  }

 private:
  void addTensor(PyObject* tensor) {
    const PyRef local = attribute(tensor, torch_names::kLocalTensor); // a DTensor's
    PyErr_Clear();
    void* impl = tensorImpl(local ? local.get() : tensor);
    if (impl != nullptr && count_ < capacity_) {
      tensors_[count_++] = impl;
    }
  }

  void** tensors_;
  size_t capacity_;
  size_t count_ = 0;
};

} // namespace

bool isTensor(PyObject* object) {
  for (const PyTypeObject* type = Py_TYPE(object); type != nullptr; type = type->tp_base) {
    if (std::string_view(type->tp_name) == torch_names::kTensorBase) {
      return true;
    }
  }
  return false;
}

size_t
tensorsIn(const CommtapHost& host, void* const* objects, size_t count, void* names, void** tensors, size_t capacity) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PlainTensors plain(host);
  Collected collected(tensors, capacity);
  const size_t named = names == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(static_cast<PyObject*>(names)));
  for (size_t i = 0; i < count + named; ++i) {
    collected.add(static_cast<PyObject*>(objects[i]), 0);
  }
  return collected.count();
}

CommtapTensorClass tensorClass(void* tensor) {
  for (const PyTypeObject* type = Py_TYPE(static_cast<PyObject*>(tensor)); type != nullptr; type = type->tp_base) {
    const std::string_view name = type->tp_name;
    if (name == torch_names::kDtensor) {
      return kCommtapDtensor;
    }
    if (name == torch_names::kFakeTensor || name == torch_names::kFunctionalTensor) {
      return kCommtapTracedTensor;
    }
  }
  return kCommtapPlainTensor;
}

} // namespace commtap
