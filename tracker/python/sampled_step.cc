// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/python/sampled_step.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracker/cpython/py_compat.h"
#include "tracker/cpython/py_ref.h"
#include "tracker/cpython/thread_frames.h"
#include "tracker/graphs/compile_watch.h"
#include "tracker/python/parameter_facts.h"
#include "tracker/python/running_work.h"
#include "tracker/python/wrappers.h"
#include "tracker/torch/function_names.h"
#include "tracker/torch/module_names.h"

namespace commtap {
namespace {

int attributeOf(PyObject* tensor, const char* name) {
  PyObject* value = ownValue(tensor, name);
  return value == Py_True ? 1 : value == Py_False ? 0 : -1;
}

bool isPartial(PyObject* placement) {
  PyObject* bases = Py_TYPE(placement)->tp_mro;
  for (Py_ssize_t i = 0; bases != nullptr && i < PyTuple_GET_SIZE(bases); ++i) {
    if (std::string_view(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i))->tp_name)
            .ends_with(torch_names::kPartial)) {
      return true;
    }
  }
  return false;
}

PyRef specsValue(PyObject* tensor, const char* name) {
  const PyRef spec = attribute(tensor, torch_names::kDtensorSpec);
  PyRef value = attribute(spec.get(), name);
  PyErr_Clear();
  return value;
}

bool hasPartialPlacement(PyObject* tensor) {
  const PyRef placements = specsValue(tensor, torch_names::kPlacements);
  bool found = false;
  for (Py_ssize_t i = 0; placements && PyTuple_Check(placements.get()) && i < PyTuple_GET_SIZE(placements.get()); ++i) {
    found = found || isPartial(PyTuple_GET_ITEM(placements.get(), i));
  }
  return found;
}

/// The parameters of one step, and what is read of each.
class SampledStep {
 public:
  SampledStep(const CommtapHost& host, const ModuleMap& modules) : host_(host), names_(host, modules) {}

  void addOptimizer(PyObject* optimizer, uint32_t number) {
    forEachParameter(optimizer, [&](PyObject* tensor, Py_ssize_t group, Py_ssize_t place) {
      if (!added_.insert(tensor).second) {
        return;
      }
      const std::string* name = names_.nameOf(tensor);
      entries_.push_back(
          {PyRef::borrow(tensor),
           name != nullptr
               ? *name
               : "optimizer" + std::to_string(number) + ".group" + std::to_string(group) + "." + std::to_string(place),
           true,
           name != nullptr,
           false});
    });
  }
  /// Leaves the parameters of another optimizer to that one's samples.
  void leaveOut(PyObject* optimizer) {
    forEachParameter(optimizer, [&](PyObject* tensor, Py_ssize_t, Py_ssize_t) { added_.insert(tensor); });
  }
  void addOthers() {
    for (const ParameterNames::Named& named : names_.all()) {
      PyObject* tensor = named.tensor.get();
      if (added_.insert(tensor).second) {
        entries_.push_back({PyRef::borrow(tensor), named.name, false, true, false});
      }
    }
    for (const ParameterNames::Named& named : names_.buffers()) {
      if (added_.insert(named.tensor.get()).second) {
        entries_.push_back({PyRef::borrow(named.tensor.get()), named.name, false, true, true});
      }
    }
  }
  void handTo(const CommtapStepSampler& sampler) {
    sampler.counted(sampler.data, entries_.size());
    for (const Entry& entry : entries_) {
      hand(entry, sampler);
    }
  }

 private:
  struct Entry {
    PyRef tensor;
    std::string name;
    bool is_in_optimizer;
    bool has_model_name;
    bool is_buffer;
  };

  void hand(const Entry& entry, const CommtapStepSampler& sampler) {
    if (sampler.wants(sampler.data, entry.name.c_str()) == 0) {
      return;
    }
    PyObject* tensor = entry.tensor.get();
    TensorFacts facts;
    if (!readTensorFacts(tensor, facts)) {
      host_.not_seen_module(entry.name.c_str());
      return;
    }
    const PyRef local = localTensorOf(tensor);
    const PyRef gradient = gradientOf(tensor);
    const PyRef local_gradient = gradient ? localTensorOf(gradient.get()) : PyRef();
    const MeshFacts& mesh = local ? meshOf(tensor) : no_mesh_;
    const std::string gradient_placements = local_gradient ? placementsOfGradient(tensor, gradient.get()) : "";
    const ParameterNames::FlatPart& flat_part = names_.flatPartOf(tensor);
    const CommtapSampledParameter parameter = {
        .name = entry.name.c_str(),
        .shape = facts.shape.c_str(),
        .local_shape = facts.local_shape.c_str(),
        .dtype = facts.dtype.c_str(),
        .mesh = mesh.mesh.c_str(),
        .placements = facts.placements.c_str(),
        .coordinate = mesh.coordinate.c_str(),
        .ddp_ranks = names_.ddpRanksOf(tensor).c_str(),
        .gradient_placements = gradient_placements.c_str(),
        .flat_shape = flat_part.shape.c_str(),
        .flat_start = flat_part.start,
        .value = tensorImpl(local ? local.get() : tensor),
        .gradient = gradient ? tensorImpl(local_gradient ? local_gradient.get() : gradient.get()) : nullptr,
        .is_in_optimizer = entry.is_in_optimizer ? 1 : 0,
        .is_buffer = entry.is_buffer ? 1 : 0,
        .has_model_name = entry.has_model_name ? 1 : 0,
        .requires_grad = facts.requires_grad ? 1 : 0,
        .is_fsdp1_flat = isOfFsdp1(tensor) ? 1 : 0,
        .is_gradient_partial = local_gradient && hasPartialPlacement(gradient.get()) ? 1 : 0,
        .tensor_model_parallel = attributeOf(tensor, torch_names::kTensorModelParallel),
        .sequence_parallel = attributeOf(tensor, torch_names::kSequenceParallel),
        .allreduce = attributeOf(tensor, torch_names::kAllreduce)};
    sampler.take(sampler.data, &parameter);
  }

  bool isOfFsdp1(PyObject* tensor) const {
    return attributeOf(tensor, torch_names::kIsFlatParameter) == 1 || names_.isInFlatParameter(tensor);
  }

  /// Returns the placements of a DTensor's gradient; "[]" if its mesh is another than the parameter's.
  static std::string placementsOfGradient(PyObject* tensor, PyObject* gradient) {
    const PyRef own = specsValue(tensor, torch_names::kSpecsMesh);
    const PyRef mesh = specsValue(gradient, torch_names::kSpecsMesh);
    const bool is_same = own && mesh && (own.get() == mesh.get() || meshFacts(own.get()) == meshFacts(mesh.get()));
    TensorFacts facts;
    return is_same && readTensorFacts(gradient, facts) ? facts.placements : "[]";
  }

  /// Keeps the last mesh: reading one takes time in proportion to its ranks, and neighbours mostly share theirs.
  const MeshFacts& meshOf(PyObject* tensor) {
    PyRef mesh = specsValue(tensor, torch_names::kSpecsMesh);
    if (mesh.get() != mesh_.get()) {
      mesh_facts_ = mesh ? meshFacts(mesh.get()) : MeshFacts();
      mesh_ = std::move(mesh);
    }
    return mesh_facts_;
  }

  const CommtapHost& host_;
  ParameterNames names_;
  std::vector<Entry> entries_;
  std::unordered_set<PyObject*> added_;
  PyRef mesh_;
  MeshFacts mesh_facts_;
  const MeshFacts no_mesh_;
};

} // namespace

void sampleStep(
    const CommtapHost& host,
    const ModuleMap& modules,
    KnownOptimizers& optimizers,
    const CommtapStepSampler& sampler) {
  const ErrorGuard keep_errors;
  constexpr int kNear = 4; // record_function's own frame may be the innermost
  const PyRef optimizer = optimizerInFrames(kNear);
  const KnownOptimizers::Step step = optimizer ? optimizers.begins(optimizer.get()) : KnownOptimizers::Step();
  if (step.step == 0 || sampler.begins(sampler.data, step.optimizer, step.step) == 0) {
    return;
  }
  const DynamoPause pause;
  const PlainTensors plain(host);
  SampledStep sampled(host, modules);
  sampled.addOptimizer(optimizer.get(), step.optimizer);
  const std::vector<PyRef> live = optimizers.live();
  if (live.front().get() == optimizer.get()) {
    for (const PyRef& other : live) {
      sampled.leaveOut(other.get());
    }
    sampled.addOthers();
  }
  sampled.handTo(sampler);
}

namespace {

/// A method `step` may call its object something else than `self`. Then the function of torch around it has it.
PyRef steppingOptimizer() {
  constexpr int kMostAround = 100;
  PyRef optimizer = runningWork().optimizer;
  return optimizer ? std::move(optimizer) : optimizerInFrames(kMostAround);
}

} // namespace

PyObject* ownValue(PyObject* object, const char* name) {
  PyObject* dict = dictOf(object);
  return dict != nullptr && PyDict_Check(dict) ? PyDict_GetItemString(dict, name) : nullptr;
}

PyObject* groupsOf(PyObject* optimizer) {
  PyObject* groups = ownValue(optimizer, torch_names::kParameterGroups);
  return groups != nullptr && PyList_Check(groups) ? groups : nullptr;
}

PyRef optimizerInFrames(int most) {
  PyRef frame = PyRef::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int depth = 0; depth < most && frame; ++depth) {
    const PyRef arguments(commtap_local(reinterpret_cast<PyFrameObject*>(frame.get()), torch_names::kStepArguments));
    if (arguments && PyTuple_Check(arguments.get()) && PyTuple_GET_SIZE(arguments.get()) > 0) {
      PyObject* optimizer = PyTuple_GET_ITEM(arguments.get(), 0);
      if (groupsOf(optimizer) != nullptr) {
        return PyRef::borrow(optimizer);
      }
    }
    frame = compat::callerOf(frame.get());
  }
  return {};
}

bool isTrue(PyObject* tensor, const char* name) {
  const PyRef value = attribute(tensor, name);
  PyErr_Clear();
  return value.get() == Py_True;
}

PyRef localTensorOf(PyObject* tensor) {
  PyRef local = attribute(tensor, torch_names::kLocalTensor);
  PyErr_Clear();
  return local;
}

PyRef gradientOf(PyObject* tensor) {
  PyObject* main_grad = ownValue(tensor, torch_names::kMainGrad);
  if (main_grad != nullptr && isTensor(main_grad)) {
    return PyRef::borrow(main_grad);
  }
  PyRef gradient = isTrue(tensor, torch_names::kIsLeaf) ? attribute(tensor, torch_names::kGrad) : PyRef();
  PyErr_Clear();
  return gradient && isTensor(gradient.get()) ? std::move(gradient) : PyRef();
}

void stepGradients(const CommtapHost& host, CommtapTakeGradient take, void* data) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PyRef optimizer = steppingOptimizer();
  if (!optimizer) {
    return;
  }
  const PlainTensors plain(host);
  forEachParameter(optimizer.get(), [&](PyObject* parameter, Py_ssize_t, Py_ssize_t) {
    const PyRef keep = PyRef::borrow(parameter);
    const PyRef gradient = gradientOf(parameter);
    if (gradient && !localTensorOf(gradient.get())) {
      take(data, tensorImpl(parameter), tensorImpl(gradient.get()));
    }
  });
}

KnownOptimizers::Step KnownOptimizers::begins(PyObject* optimizer) {
  const auto found = numbers_.find(optimizer);
  if (found != numbers_.end() && PyWeakref_GetObject(known_[found->second].reference.get()) == optimizer) {
    return {found->second, ++known_[found->second].steps};
  }
  PyRef reference(PyWeakref_NewRef(optimizer, nullptr));
  if (!reference) {
    PyErr_Clear();
    return {};
  }
  const auto number = static_cast<uint32_t>(known_.size());
  known_.push_back({std::move(reference), 1});
  numbers_[optimizer] = number;
  return {number, 1};
}

std::vector<PyRef> KnownOptimizers::live() const {
  std::vector<PyRef> optimizers;
  for (const Known& known : known_) {
    if (PyObject* optimizer = PyWeakref_GetObject(known.reference.get()); optimizer != Py_None) {
      optimizers.push_back(PyRef::borrow(optimizer));
    }
  }
  return optimizers;
}

namespace {

constexpr int kMostModules = 500; ///< of a model whose first layers are frozen
constexpr int kMostDepth = 100;   ///< nesting of modules

/// Walks a tree of modules, depth first.
class Walk {
 public:
  /// Returns the first trained parameter, borrowed; nullptr if there is none.
  PyObject* find(PyObject* module, int depth) {
    const bool looks = depth < kMostDepth && visited_++ < kMostModules;
    PyObject* found = looks ? trainedIn(parametersOf(module)) : nullptr;
    PyObject* children = !looks || found != nullptr ? nullptr : childrenOf(module);
    PyObject* name = nullptr;
    PyObject* child = nullptr;
    for (Py_ssize_t at = 0;
         found == nullptr && children != nullptr && PyDict_Next(children, &at, &name, &child) != 0;) {
      found = child == Py_None ? nullptr : find(child, depth + 1);
    }
    return found;
  }

 private:
  static PyObject* trainedIn(PyObject* parameters) {
    PyObject* name = nullptr;
    PyObject* tensor = nullptr;
    Py_ssize_t at = 0;
    while (parameters != nullptr && PyDict_Next(parameters, &at, &name, &tensor) != 0) {
      const PyRef requires_grad = attribute(tensor, torch_names::kRequiresGrad); // None has none
      if (requires_grad.get() == Py_True) {
        return tensor;
      }
    }
    return nullptr;
  }

  int visited_ = 0;
};

} // namespace

void* trainedParameter(const CommtapHost& host, PyObject* module) {
  const ErrorGuard keep_errors;
  const DynamoPause pause;
  const PlainTensors plain(host);
  PyObject* tensor = Walk().find(module, 0);
  PyErr_Clear();
  return tensor == nullptr ? nullptr : tensorImpl(tensor);
}

} // namespace commtap
