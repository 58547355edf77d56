// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/python_bridge.h"

#include <algorithm>
#include <vector>

#include "tracker/core/steps.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

struct Watched {
  uint32_t module;
  c10::VariableVersion counter; ///< of the parameter: changes in place count it up
  uint32_t version;             ///< at the model's last call with gradients

  bool hasChanged() const {
    return counter.current_version() != version;
  }
};

/// Never destroyed: modules are called until the process exits.
struct Models {
  std::vector<Watched> watched;
  std::vector<bool> looked; ///< by module: its parameters have been looked through

  Watched* find(uint32_t module) {
    const auto found =
        std::find_if(watched.begin(), watched.end(), [module](const Watched& model) { return model.module == module; });
    return found == watched.end() ? nullptr : &*found;
  }
  bool mayLook(uint32_t module) const {
    return watched.size() < ParameterWatch::kMostModels && (module >= looked.size() || !looked[module]);
  }
};

Models& models() {
  static Models* const all = new Models;
  return *all;
}

bool trains() {
  return compat::gradEnabled() && !compat::inBackward();
}

void look(uint32_t module, void* object, ParameterWatch::FindParameter find) {
  auto* tensor = static_cast<at::TensorImpl*>(find(object));
  if (tensor != nullptr && (tensor->is_inference() || tensor->numel() == 0)) {
    return; // a lazy module's parameter has no elements before its first call
  }
  Models& all = models();
  all.looked.resize(std::max<size_t>(all.looked.size(), size_t{module} + 1));
  all.looked[module] = true;
  if (tensor != nullptr) {
    all.watched.push_back({module, tensor->version_counter(), tensor->version_counter().current_version()});
  }
}

} // namespace

void ParameterWatch::callBegins(uint32_t module, void* object, FindParameter find) {
  Models& all = models();
  if (Watched* model = all.find(module)) {
    if (model->hasChanged() && trains()) {
      model->version = model->counter.current_version();
      Steps::parametersChanged();
    }
  } else if (all.mayLook(module) && trains()) {
    look(module, object, find);
  }
}

} // namespace commtap
