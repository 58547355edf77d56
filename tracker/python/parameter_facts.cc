// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/parameter_facts.h"

#include <string>

#include "tracker/cpython/py_ref.h"
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

} // namespace commtap
