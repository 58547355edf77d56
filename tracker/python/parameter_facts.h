// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/module_map.h"

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

/// JSON texts of a DeviceMesh.
struct MeshFacts {
  std::string mesh;       ///< object text with dim_names, shape and ranks; these are null if they cannot be read
  std::string coordinate; ///< list: this process's place in each dimension; "" if it has none

  bool operator==(const MeshFacts&) const = default;
};

/// Calls take(group, dimension) with the name of each process group that a named dimension of a DeviceMesh uses. Leaves
/// no Python error. The caller holds the GIL.
using TakeMeshGroup = void (*)(const char* group, const char* dimension);
void forEachMeshGroup(PyObject* mesh, TakeMeshGroup take);

/// Reads a DeviceMesh without its property `mesh`, which calls ops. Leaves no Python error. The caller holds the GIL.
MeshFacts meshFacts(PyObject* mesh);

/// The parameters of all known modules and of those below them, by identity, at one moment: libraries swap parameters.
/// Needs PlainTensors, and the GIL while it lives.
class ParameterNames {
 public:
  /// A parameter that a module registers. One that several register has the name of the first.
  struct Named {
    PyRef tensor;
    std::string name;
  };

  ParameterNames(const CommtapHost& host, const ModuleMap& modules);

  /// Returns the parameter's name in clean names; nullptr if no module registers it.
  const std::string* nameOf(PyObject* tensor) const;
  /// Returns the ranks of the DistributedDataParallel that has the parameter, as a JSON list; "" if none has it.
  const std::string& ddpRanksOf(PyObject* tensor) const;
  /// Returns whether the parameter is a part of an FSDP1 unit's flat parameter (use_orig_params).
  bool isInFlatParameter(PyObject* tensor) const {
    return in_flat_.contains(tensor);
  }
  /// The part of an original parameter: its shape as a JSON list, "" if not known, and the first index that the part
  /// has.
  struct FlatPart {
    std::string shape;
    long start = 0;
  };
  const FlatPart& flatPartOf(PyObject* tensor) const;
  /// Returns all of them in the order of the modules.
  const std::vector<Named>& all() const {
    return all_;
  }
  /// Returns the buffers that a checkpoint has: the others are caches, masks and the like.
  const std::vector<Named>& buffers() const {
    return buffers_;
  }

 private:
  void addTree(PyObject* module, const std::string& name, int depth);
  void addOwn(PyObject* module, const std::string& name);
  void addBuffers(PyObject* module, const std::string& name);
  void addDdp(PyObject* module);
  void addFsdp1(PyObject* module);

  const ModuleMap& modules_;
  std::vector<Named> all_;
  std::vector<Named> buffers_;
  std::unordered_map<PyObject*, size_t> index_; ///< of all_
  std::unordered_set<PyObject*> visited_;       ///< modules
  std::unordered_map<PyObject*, size_t> ddp_;   ///< index of ddp_ranks_
  std::vector<std::string> ddp_ranks_;
  std::unordered_map<PyObject*, FlatPart> in_flat_;
};

/// Returns whether an object is a torch.Tensor. The caller holds the GIL.
bool isTensor(PyObject* object);

/// Implements CommtapPython::tensors_in. Runs no code of the job, leaves no Python error. The caller holds the GIL.
size_t
tensorsIn(const CommtapHost& host, void* const* objects, size_t count, void* names, void** tensors, size_t capacity);

/// Returns the class of `tensor`, a PyObject that the caller keeps alive. Compares the names of its base classes, so a
/// subclass of DTensor counts as one. Needs no GIL: the type of a living object neither changes nor is destroyed.
CommtapTensorClass tensorClass(void* tensor);

} // namespace commtap
