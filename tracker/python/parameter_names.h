// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tracker/core/python_host.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/python/module_map.h"

namespace commtap {

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
  /// Returns all of them in the order of the modules.
  const std::vector<Named>& all() const {
    return all_;
  }

 private:
  void addTree(PyObject* module, const std::string& name, int depth);
  void addOwn(PyObject* module, const std::string& name);
  void addDdp(PyObject* module);
  void addFsdp1(PyObject* module);

  const ModuleMap& modules_;
  std::vector<Named> all_;
  std::unordered_map<PyObject*, size_t> index_; ///< of all_
  std::unordered_set<PyObject*> visited_;       ///< modules
  std::unordered_map<PyObject*, size_t> ddp_;   ///< index of ddp_ranks_
  std::vector<std::string> ddp_ranks_;
  std::unordered_set<PyObject*> in_flat_;
};

} // namespace commtap
