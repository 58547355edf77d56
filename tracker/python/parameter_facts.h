// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "tracker/core/python_host.h"

namespace commtap {

/// Disables __torch_function__ on this thread while this object lives. A job's parameters may be tensor subclasses,
/// whose code must not run when the tracker reads their attributes.
class PlainTensors {
 public:
  explicit PlainTensors(const CommtapHost& host) : host_(host), token_(host.begin_plain_tensors()) {}
  PlainTensors(const PlainTensors&) = delete;
  PlainTensors& operator=(const PlainTensors&) = delete;
  ~PlainTensors() {
    host_.end_plain_tensors(token_);
  }

 private:
  const CommtapHost& host_;
  void* token_;
};

/// Texts are JSON, except for the dtype's.
struct TensorFacts {
  std::string shape;
  std::string local_shape;
  std::string dtype;
  std::string mesh;       ///< a DTensor's, else ""
  std::string placements; ///< a DTensor's, else ""
  bool requires_grad = false;
};

/// Returns whether `tensor` has a shape, which it lacks in a lazy module before its first call, and then sets its
/// facts. Needs PlainTensors, and the GIL.
bool readTensorFacts(PyObject* tensor, TensorFacts& facts);

/// Return the JSON text of a sequence of integers or strings; "[]" for any other object. Clear errors.
std::string integersJson(PyObject* sequence);
std::string textsJson(PyObject* sequence);

/// Returns a tensor's TensorImpl; nullptr if it has none. Needs PlainTensors, and the GIL.
void* tensorImpl(PyObject* tensor);

/// Reports to the tracker a module's own parameters, without its children's. A report has name, shape and dtype, and
/// for a DTensor also mesh, placements and local shape. Attributes each parameter's gradient and memory to `module`.
/// Runs no code of the job, leaves no Python error. The caller holds the GIL.
void reportParameters(const CommtapHost& host, PyObject* module_dict, uint32_t module);

/// Attributes the gradient and memory of an FSDP1 unit's flat parameter to `module`. FSDP1 registers that parameter
/// with no module. The caller holds the GIL.
void reportFlatParameter(const CommtapHost& host, PyObject* module_dict, uint32_t module);

} // namespace commtap
