// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/attribution/attribution.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "tracker/attribution/module_registry.h"
#include "tracker/attribution/python_frames.h"
#include "tracker/attribution/running_work.h"
#include "tracker/attribution/step_gradients.h"
#include "tracker/core/steps.h"
#include "tracker/torch/compat.h"

namespace commtap {
namespace {

/// Attributes to the module whose forward made `node`. Autograd runs the backward of the CPU on the forward's thread,
/// so a search for another thread's timeline is rare.
void applyForwardOf(const ThreadState& thread, const torch::autograd::Node& node, Origin& origin) {
  const Timeline& own = thread.timeline.timeline();
  const std::optional<uint32_t> module = own.belongsTo(node.thread_id())
                                             ? own.moduleAt(node.sequence_nr())
                                             : Timelines::moduleAt(node.thread_id(), node.sequence_nr());
  origin.module = origin.issued_in = module.value_or(kGlobalModule);
  if (!module) {
    origin.missed = NotSeen::kUnattributedBackward;
  }
}

std::optional<uint32_t> ownerOfMemory(const at::Tensor* tensor) {
  const bool known = tensor != nullptr && tensor->defined() && tensor->has_storage();
  return known ? ModuleRegistry::get().ownerOfStorage(tensor->storage()) : std::nullopt;
}

/// Like ownerOfMemory(), for parameters whose memory is another one than when their module was first called.
std::optional<uint32_t> ownerOfMoved(const at::Tensor* tensor) {
  const bool known = tensor != nullptr && tensor->defined() && tensor->has_storage();
  return known ? ModuleRegistry::get().ownerOfMoved(tensor->storage()) : std::nullopt;
}

/// Returns the nearest common ancestor of two owners, or the only one.
std::optional<uint32_t> commonOf(std::optional<uint32_t> one, std::optional<uint32_t> other) {
  return one && other ? ModuleRegistry::get().commonAncestor(*one, *other) : one ? one : other;
}

/// Finds the owners of the tensors of one call.
class TensorOwners {
 public:
  TensorOwners(ThreadState& thread, Phase phase) : thread_(thread), reads_gradients_(phase == Phase::kOptimizer) {}

  std::optional<uint32_t> ownerOf(const at::Tensor* tensor) {
    if (tensor == nullptr || !tensor->defined()) {
      return std::nullopt;
    }
    std::optional<uint32_t> owner = ModuleRegistry::get().ownerOfTensor(tensor->unsafeGetTensorImpl());
    owner = owner ? owner : ownerOfMemory(tensor);
    if (!owner && reads_gradients_) {
      gradients_ = gradients_ == nullptr ? &StepGradients::inStep(thread_) : gradients_;
      owner = gradients_->find(*tensor);
    }
    if (!owner && may_have_moved_) { // parameters move together: a search in vain is not repeated
      owner = ownerOfMoved(tensor);
      may_have_moved_ = owner.has_value();
    }
    return owner;
  }

 private:
  ThreadState& thread_;
  const StepGradients* gradients_ = nullptr;
  bool reads_gradients_;
  bool may_have_moved_ = true;
};

void addPart(ModuleParts& parts, uint32_t module, uint64_t bytes) {
  const auto known =
      std::find_if(parts.begin(), parts.end(), [module](const ModulePart& part) { return part.module == module; });
  if (known == parts.end()) {
    parts.push_back({module, bytes});
  } else {
    known->size += bytes;
  }
}

/// Returns the nearest common ancestor of all modules that own a tensor of a call; nullopt if none is owned. Every rank
/// that has the list finds the same, whichever of the tensors it sends. Sets the parts.
std::optional<uint32_t> ownerOfListed(ThreadState& thread, Phase phase, ListedTensors& listed) {
  TensorOwners owners(thread, phase);
  std::optional<uint32_t> common;
  for (const ListedTensors::One& each : listed.tensors) {
    std::optional<uint32_t> first;
    for (const at::Tensor* tensor : {each.tensor, each.other}) {
      const std::optional<uint32_t> owner = owners.ownerOf(tensor);
      common = commonOf(common, owner);
      first = first ? first : owner;
    }
    if (each.bytes > 0) {
      addPart(listed.parts, first.value_or(kGlobalModule), each.bytes);
    }
  }
  if (listed.parts.size() == 1 && listed.parts.front().module == kGlobalModule) {
    listed.parts.clear();
  }
  return common;
}

/// Returns whether a call sends a bucket, or a piece of one, and not the gradient itself or a piece of it.
bool sendsBucket(const CallFacts& facts, const at::TensorImpl& gradient) {
  const at::Tensor* sent = facts.tensor;
  if (facts.listed != nullptr) {
    return facts.listed->sent > gradient.numel();
  }
  if (sent == nullptr || !sent->defined() || !sent->has_storage() || sent->numel() == gradient.numel()) {
    return false;
  }
  const auto gradient_bytes = static_cast<size_t>(gradient.numel()) * sent->itemsize();
  return sent->numel() > gradient.numel() || sent->storage().nbytes() > gradient_bytes;
}

/// Attributes a ready gradient: DDP's reducer sends its bucket, FSDP1 its flat parameter. A bucket that the job fills
/// can have gradients of any module of the model.
void applyGradientOf(ThreadState& thread, const at::TensorImpl* tensor, const CallFacts& facts, Origin& origin) {
  ModuleRegistry& modules = ModuleRegistry::get();
  const std::optional<uint32_t> owner = modules.ownerOfTensor(tensor);
  if (!owner) {
    origin.missed = NotSeen::kUnattributedParameter;
    return;
  }
  origin.module = origin.issued_in = *owner;
  if (const std::optional<uint32_t> ddp = modules.nearest(*owner, ModuleRole::kDdp)) {
    origin.module = *ddp;
    modules.noteReduced(*ddp);
    return;
  }
  const bool is_bucket = sendsBucket(facts, *tensor);
  std::optional<uint32_t> sent = is_bucket ? ownerOfMemory(facts.tensor) : std::nullopt;
  if (facts.listed != nullptr) {
    sent = ownerOfListed(thread, Phase::kBackward, *facts.listed);
  }
  origin.module = sent.value_or(is_bucket ? modules.rootOf(*owner) : *owner);
}

void noteInBackward(ThreadState& thread, uint32_t module) {
  thread.last_backward_module = module;
  thread.last_backward = compat::graphTask();
}

/// Attributes a callback at the end of a backward: to DDP, if this backward, or one inside it, has sent a bucket. With
/// static_graph, DDP's first backward sends all its buckets in the callback: only a DDP that has sent none can do so.
Origin originAtEndOfBackward(ThreadState& thread, const CallFacts& facts) {
  ModuleRegistry& modules = ModuleRegistry::get();
  Origin origin{kGlobalModule, kGlobalModule, Phase::kBackward, Origin::kNothing};
  const bool has_sent = thread.last_backward >= compat::graphTask();
  if (const auto ddp = modules.nearest(has_sent ? thread.last_backward_module : kGlobalModule, ModuleRole::kDdp)) {
    origin.module = *ddp;
    origin.is_gradient = !pythonRunsInEngine();
    return origin;
  }
  const std::vector<uint32_t> unreduced = modules.unreducedDdps();
  if (facts.kind != Kind::kAllReduce || unreduced.empty() || pythonRunsInEngine()) {
    return origin; // the job's own callback, for instance
  }
  if (unreduced.size() > 1) {
    origin.missed = NotSeen::kUnknownOwner;
    return origin;
  }
  origin.module = unreduced.front();
  origin.is_gradient = true;
  modules.noteReduced(origin.module);
  noteInBackward(thread, origin.module);
  return origin;
}

Origin originInBackward(ThreadState& thread, const CallFacts& facts) {
  const auto node = compat::currentNode();
  if (!node) {
    return originAtEndOfBackward(thread, facts);
  }
  Origin origin;
  if (compat::hasSequenceNumber(*node)) {
    applyForwardOf(thread, *node, origin);
  } else if (const at::TensorImpl* tensor = compat::accumulatedTensor(*node)) {
    applyGradientOf(thread, tensor, facts, origin);
    origin.is_gradient = true;
  }
  origin.phase = Phase::kBackward;
  noteInBackward(thread, origin.issued_in);
  const bool may_be_for_ddp = ModuleRegistry::get().hasHadDdp() && pythonRunsInEngine();
  if (may_be_for_ddp && runningTorchFunction().for_ddp != kCommtapNotForDdp) {
    // A callback runs here if the call that it follows has completed, else on another thread.
    origin.issued_in = kGlobalModule;
  }
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
void applyFsdp2Labels(ThreadState& thread, const UnitLabel& label, bool in_engine, Origin& origin) {
  const uint32_t hint = origin.issued_in != kGlobalModule ? origin.issued_in : thread.last_backward_module;
  origin.is_gradient |= label.phase == Phase::kBackward && label.communicates;
  const std::optional<uint32_t> unit =
      label.module != UnitLabel::kUnknownModule ? label.module : ModuleRegistry::get().fsdp2Unit(hint, label.unit);
  if (!unit) {
    origin.missed = NotSeen::kUnknownOwner;
    return;
  }
  origin.module = *unit;
  if (label.phase == Phase::kBackward && !label.communicates && !label.prefetch) {
    // Only DTensor communicates here: it replicates one parameter's gradient on the other mesh dimensions.
    origin.module = moduleInFrames(kCommtapReducedParameter).value_or(*unit);
  }
  if (in_engine) {
    origin.issued_in = callingFsdp2Unit(thread, hint).value_or(origin.issued_in);
  }
}

/// FSDP1's labels name no unit. It gathers the unit's flat parameter and reduces that parameter's gradient, so the
/// memory gives the unit.
void applyFsdp1Labels(const UnitLabel& label, const CallFacts& facts, Origin& origin) {
  ModuleRegistry& modules = ModuleRegistry::get();
  const std::optional<uint32_t> caller = modules.nearest(origin.issued_in, ModuleRole::kFsdp1);
  const std::optional<uint32_t> owner = ownerOfMemory(facts.tensor);
  if (caller) {
    origin.issued_in = *caller;
  }
  if (owner || caller) {
    // With use_orig_params the memory belongs to an inner module's parameter, but the unit gathers it.
    origin.module = owner ? modules.nearest(*owner, ModuleRole::kFsdp1).value_or(*owner) : *caller;
  }
  if (!owner && (!caller || label.prefetch)) {
    origin.missed = NotSeen::kUnknownOwner;
  }
}

/// Attributes what a pipeline schedule does between the calls of its stages: to the stage of the running action.
void applyPipelineLabel(const UnitLabel& label, Origin& origin) {
  origin.module = origin.issued_in = label.module;
  origin.phase = label.phase;
}

/// The outermost label that says a phase gives it, unless a scope or the engine does: `REDUCE_GRAD` is around
/// `post_backward_reduce`.
void applyLabels(
    ThreadState& thread,
    const UnitLabel& innermost,
    bool in_engine,
    const CallFacts& facts,
    Origin& origin) {
  for (const UnitLabel& label : thread.unit_labels) {
    if (label.depth != innermost.depth || in_engine) {
      continue;
    }
    if (label.made_by == UnitLabel::Library::kPipeline) {
      applyPipelineLabel(label, origin);
    } else if (origin.phase == Phase::kOther) {
      origin.phase = label.phase;
    }
  }
  if (innermost.made_by == UnitLabel::Library::kFsdp2) {
    applyFsdp2Labels(thread, innermost, in_engine, origin);
  } else if (innermost.made_by == UnitLabel::Library::kFsdp1) {
    applyFsdp1Labels(innermost, facts, origin);
  }
}

/// Attributes a call outside of every module, label and backward by the memory that it sends or receives.
void applyMemory(ThreadState& thread, const CallFacts& facts, Origin& origin) {
  if (isPointToPoint(facts.kind) && origin.phase == Phase::kOther && StageTensors::wanted()) {
    if (thread.stage_tensors == nullptr) {
      thread.stage_tensors = std::make_shared<StageTensors>();
    }
    const auto stage = thread.stage_tensors->stageOf({facts.kind, facts.peer, facts.tensor});
    if (stage && stage->module == kGlobalModule) {
      origin.missed = NotSeen::kUnknownOwner;
    } else if (stage) {
      origin.module = origin.issued_in = stage->module;
      origin.phase = stage->phase;
    }
    return;
  }
  if (facts.listed != nullptr) {
    origin.module = ownerOfListed(thread, origin.phase, *facts.listed).value_or(origin.module);
    return;
  }
  std::optional<uint32_t> owner = commonOf(ownerOfMemory(facts.tensor), ownerOfMemory(facts.received));
  for (const at::Tensor* tensor : {facts.tensor, facts.received}) {
    owner = owner ? owner : ownerOfMoved(tensor);
  }
  for (const at::Tensor* tensor : {facts.tensor, facts.received}) {
    if (!owner && tensor != nullptr && origin.phase == Phase::kOptimizer) {
      owner = StepGradients::inStep(thread).find(*tensor);
    }
  }
  origin.module = owner.value_or(origin.module);
}

/// Attributes a call that Python code outside of every module makes: an optimizer that is not torch's, the constructor
/// of a wrapper, or a wrapper's `backward` before and after autograd's.
void applyRunningWork(bool in_engine, Origin& origin) {
  const RunningWork work = WorkInFrames::find();
  const bool is_step =
      work.what == kCommtapOptimizerStep || (work.what == kCommtapOptimizerStepWithClosure && !compat::gradEnabled());
  if (is_step) {
    origin.phase = Phase::kOptimizer;
    Steps::optimizerStepped();
  } else if (!in_engine && (work.what == kCommtapBackward || work.what == kCommtapSetUp)) {
    origin.module = origin.issued_in = work.module;
    origin.is_gradient = work.what == kCommtapBackward;
    origin.phase = work.what == kCommtapBackward ? Phase::kBackward : Phase::kOther;
  } else if (!in_engine && work.unread) {
    origin.missed = NotSeen::kFramesUnread;
  }
}

/// Returns the module whose backward runs: the one whose forward made autograd's node, or whose gradient is ready.
Stalled stalledInBackward(const ThreadState& thread) {
  Stalled stalled{kGlobalModule, Phase::kBackward};
  if (const auto node = compat::currentNode()) {
    if (compat::hasSequenceNumber(*node)) {
      stalled.module = Timelines::moduleAt(node->thread_id(), node->sequence_nr()).value_or(kGlobalModule);
    } else if (const at::TensorImpl* tensor = compat::accumulatedTensor(*node)) {
      stalled.module = ModuleRegistry::get().ownerOfTensor(tensor).value_or(kGlobalModule);
    }
  }
  if (const UnitLabel* label = thread.unitLabel(); label != nullptr && label->made_by == UnitLabel::Library::kFsdp2) {
    const uint32_t hint = stalled.module != kGlobalModule ? stalled.module : thread.last_backward_module;
    stalled.module = callingFsdp2Unit(thread, hint).value_or(stalled.module);
  }
  return stalled;
}

} // namespace

/// Optimizers turn gradients off, and on again for the closure, which is the job's forward and backward.
Phase phaseOutsideCalls(const Scope& scope) {
  if (scope.type == Scope::Type::kSetUp) {
    return Phase::kOther;
  }
  if (scope.type == Scope::Type::kOptimizerStepWithClosure && compat::gradEnabled()) {
    return scope.module == kGlobalModule ? Phase::kOther : Phase::kForward;
  }
  return Phase::kOptimizer;
}

Stalled stalledNow(const ThreadState* thread) {
  Origin origin;
  if (thread == nullptr) {
    return {};
  }
  if (inEngine(*thread)) {
    return stalledInBackward(*thread);
  }
  setOriginInScope(origin, thread->top());
  if (const UnitLabel* label = thread->unitLabel();
      label != nullptr && label->made_by == UnitLabel::Library::kPipeline) {
    applyPipelineLabel(*label, origin);
  }
  return {origin.issued_in, origin.phase};
}

void setOriginForDdp(CommtapDdpWork work, Origin& origin) {
  constexpr std::array kPhases = {Phase::kOther, Phase::kForward, Phase::kBackward, Phase::kOther};
  const std::vector<uint32_t> ddps = ModuleRegistry::get().ddps();
  origin = {kGlobalModule, kGlobalModule, kPhases[work], Origin::kNothing};
  if (ddps.size() == 1) {
    origin.module = ddps.front();
  } else {
    origin.missed = NotSeen::kUnknownOwner;
  }
}

Origin originElsewhere(ThreadState& thread, bool in_engine, const CallFacts& facts) {
  Origin origin;
  if (in_engine) {
    origin = originInBackward(thread, facts);
  } else {
    setOriginInScope(origin, thread.top());
  }
  const UnitLabel* label = thread.unitLabel();
  const bool in_module = thread.top() != nullptr && thread.top()->isCall();
  if (label != nullptr) {
    applyLabels(thread, *label, in_engine, facts, origin);
    return origin;
  }
  if (facts.reads_frames && (in_engine || thread.top() == nullptr)) {
    applyRunningWork(in_engine, origin);
  }
  if (!in_engine && !in_module) {
    applyMemory(thread, facts, origin);
  }
  return origin;
}

} // namespace commtap
