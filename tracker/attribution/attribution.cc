// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/attribution.h"

#include <algorithm>
#include <optional>

#include "tracker/attribution/module_registry.h"
#include "tracker/core/torch_compat.h"

namespace commtap {
namespace {

/// Attributes to the module whose forward made `node`.
void applyForwardOf(const torch::autograd::Node& node, Origin& origin) {
  const std::optional<uint32_t> module = Timelines::moduleAt(node.thread_id(), node.sequence_nr());
  origin.module = origin.issued_in = module.value_or(kGlobalModule);
  if (!module) {
    origin.missed = NotSeen::kUnattributedBackward;
  }
}

/// Attributes a ready gradient: DDP's reducer sends its bucket, FSDP1 its flat parameter.
void applyGradientOf(const at::TensorImpl* tensor, Origin& origin) {
  ModuleRegistry& modules = ModuleRegistry::get();
  const std::optional<uint32_t> owner = modules.ownerOfTensor(tensor);
  if (!owner) {
    origin.missed = NotSeen::kUnattributedParameter;
    return;
  }
  origin.module = modules.nearest(*owner, ModuleRole::kDdp).value_or(*owner);
  origin.issued_in = *owner;
}

Origin originInBackward(ThreadState& thread) {
  const auto node = compat::currentNode();
  if (!node) { // a callback at the end of the backward
    const uint32_t last = thread.last_backward_module;
    const std::optional<uint32_t> ddp = ModuleRegistry::get().nearest(last, ModuleRole::kDdp);
    return {ddp.value_or(kGlobalModule), kGlobalModule, Phase::kBackward, Origin::kNothing};
  }
  Origin origin;
  if (compat::hasSequenceNumber(*node)) {
    applyForwardOf(*node, origin);
  } else if (const at::TensorImpl* tensor = compat::accumulatedTensor(*node)) {
    applyGradientOf(tensor, origin);
  }
  origin.phase = Phase::kBackward;
  thread.last_backward_module = origin.issued_in;
  return origin;
}

/// Returns the FSDP2 unit whose backward made the call. The outermost label is that of the running unit, or that of a
/// prefetch that the unit's own hook makes.
std::optional<uint32_t> callingFsdp2Unit(const ThreadState& thread, uint32_t hint) {
  const auto outermost = std::find_if(thread.unit_labels.begin(), thread.unit_labels.end(), [](const UnitLabel& label) {
    return label.made_by == UnitLabel::Library::kFsdp2;
  });
  ModuleRegistry& modules = ModuleRegistry::get();
  if (outermost->module != UnitLabel::kUnknownModule) {
    return outermost->module;
  }
  return outermost->prefetch ? modules.nearest(hint, ModuleRole::kFsdp2) : modules.fsdp2Unit(hint, outermost->unit);
}

/// FSDP2's labels name the unit: the innermost one gives the attributed module.
void applyFsdp2Labels(ThreadState& thread, Origin& origin) {
  const UnitLabel& label = thread.unit_labels.back();
  const uint32_t hint = origin.issued_in != kGlobalModule ? origin.issued_in : thread.last_backward_module;
  const std::optional<uint32_t> unit =
      label.module != UnitLabel::kUnknownModule ? label.module : ModuleRegistry::get().fsdp2Unit(hint, label.unit);
  if (!unit) {
    origin.missed = NotSeen::kUnknownOwner;
    return;
  }
  origin.module = *unit;
  if (origin.phase == Phase::kBackward) {
    origin.issued_in = callingFsdp2Unit(thread, hint).value_or(origin.issued_in);
  }
}

/// FSDP1's labels name no unit. It gathers the unit's flat parameter and reduces that parameter's gradient, so the
/// memory gives the unit.
void applyFsdp1Labels(ThreadState& thread, const void* input_storage, Origin& origin) {
  ModuleRegistry& modules = ModuleRegistry::get();
  const std::optional<uint32_t> caller = modules.nearest(origin.issued_in, ModuleRole::kFsdp1);
  const std::optional<uint32_t> owner = modules.ownerOfStorage(input_storage);
  if (caller) {
    origin.issued_in = *caller;
  }
  if (owner || caller) {
    // With use_orig_params the memory belongs to an inner module's parameter, but the unit gathers it.
    origin.module = owner ? modules.nearest(*owner, ModuleRole::kFsdp1).value_or(*owner) : *caller;
  }
  if (!owner && (!caller || thread.unit_labels.back().prefetch)) {
    origin.missed = NotSeen::kUnknownOwner;
  }
}

} // namespace

Origin originInBackwardOrUnit(ThreadState& thread, bool in_engine, const void* input_storage) {
  Origin origin;
  if (in_engine) {
    origin = originInBackward(thread);
  } else {
    setOriginInScope(origin, thread.top());
  }
  if (const UnitLabel* label = thread.unitLabel()) {
    if (label->made_by == UnitLabel::Library::kFsdp2) {
      applyFsdp2Labels(thread, origin);
    } else {
      applyFsdp1Labels(thread, input_storage, origin);
    }
  }
  return origin;
}

} // namespace commtap
