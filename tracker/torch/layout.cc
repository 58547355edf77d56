// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/torch/layout.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <strings.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <utility>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

// libtorch_cpu's own vtables and functions. Weak: a torch that lacks one differs, and must not keep the tracker from
// being loaded, which says so.
extern "C" {
[[gnu::weak]] extern const void* const group_vtable[] __asm__("_ZTVN4c10d12ProcessGroupE");
[[gnu::weak]] extern const void* const work_vtable[] __asm__("_ZTVN4c10d4WorkE");
[[gnu::weak]] extern const void* const gloo_vtable[] __asm__("_ZTVN4c10d16ProcessGroupGlooE");
[[gnu::weak]] extern const char group_name_getter __asm__("_ZNK4c10d12ProcessGroup12getGroupNameB5cxx11Ev");
[[gnu::weak]] extern const char group_desc_getter __asm__("_ZNK4c10d12ProcessGroup12getGroupDescB5cxx11Ev");
[[gnu::weak]] extern const char work_success_getter __asm__("_ZNK4c10d4Work9isSuccessEv");
[[gnu::weak]] extern const char gloo_broadcast __asm__(
    "_ZN4c10d16ProcessGroupGloo9broadcastERSt6vectorIN2at6TensorESaIS3_EERKNS_16BroadcastOptionsE");
}

namespace commtap {

namespace witness {

/// The result of a function of torch that returns in memory of its caller.
struct ReturnedWords {
  std::array<const void*, 4> words;
  ReturnedWords(const ReturnedWords&) = delete; // not trivial, so that it is returned in memory
  ReturnedWords& operator=(const ReturnedWords&) = delete;
  ~ReturnedWords() = default;
};

/// torch::autograd::impl::grad_accumulator(). A mangled name does not have the returned type, and pointers to nodes
/// have changed it: they are one word from torch 2.13 on, and were two. Code for the shorter one would be overwritten.
ReturnedWords gradAccumulator(const at::Tensor& leaf) __asm__(
    "_ZN5torch8autograd4impl16grad_accumulatorERKN2at6TensorE");

} // namespace witness

namespace {

/// Hands out a private member of a class: an explicit instantiation may name it.
template <typename Name, auto kMember>
struct Reveal {
  friend constexpr auto revealed(Name /*name*/) {
    return kMember;
  }
};
struct DefinitionOfHandle {
  friend constexpr auto revealed(DefinitionOfHandle name);
};
template struct Reveal<DefinitionOfHandle, &c10::OperatorHandle::operatorDef_>;

/// Returns the arguments as the schema's text has them, up to the bracket that closes them.
std::string argumentsText(const c10::FunctionSchema& schema) {
  std::ostringstream text;
  bool in_keywords = false;
  const char* separator = "";
  for (const c10::Argument& argument : schema.arguments()) {
    text << separator << (argument.kwarg_only() && !in_keywords ? "*, " : "") << argument;
    in_keywords = in_keywords || argument.kwarg_only();
    separator = ", ";
  }
  return text.str() + ")";
}

/// Returns what torch says of an op after `name`, up to `end`.
std::string stated(const std::string& state, const std::string& name, char end) {
  const size_t begin = state.find(name);
  const size_t from = begin == std::string::npos ? state.size() : begin + name.size();
  return state.substr(from, state.find(end, from) - from);
}

size_t countArguments(const std::string& text) {
  size_t count = text.empty() ? 0 : 1;
  for (size_t comma = text.find(", "); comma != std::string::npos; comma = text.find(", ", comma + 1)) {
    count += text.compare(comma, 5, ", *, ") == 0 ? 0 : 1;
  }
  return count;
}

/// Compares the schema with its text by torch.
bool sameSchema(LayoutCheck& check, const c10::OperatorHandle& op) {
  const std::string state = op.dumpState();
  const std::string name = "aten::add.Tensor";
  const std::string arguments = stated(state, "schema: " + name + "(", ')');
  return check.same("name", toString(op.operator_name()), name) && check.holds("schema's presence", op.hasSchema()) &&
         check.same("schema's name", op.schema().name(), "aten::add") &&
         check.same("schema's overload", op.schema().overload_name(), "Tensor") &&
         check.same("number of arguments", op.schema().arguments().size(), countArguments(arguments)) &&
         check.same("list of arguments", argumentsText(op.schema()), arguments + ")");
}

/// Compares the table from which every call of an op takes its kernel with the kernels that torch has for the keys.
bool sameKernels(LayoutCheck& check, const c10::OperatorHandle& op) {
  using Key = c10::DispatchKey;
  const c10::impl::OperatorEntry& entry = (op.*revealed(DefinitionOfHandle()))->op;
  size_t found = 0;
  for (const Key key : {Key::CPU, Key::CUDA, Key::Meta, Key::SparseCPU, Key::NestedTensorCPU, Key::Functionalize}) {
    if (entry.hasKernelForDispatchKey(key)) {
      ++found;
      if (!check.holds(
              "table of kernels at " + std::string(toString(key)),
              entry.lookup(c10::DispatchKeySet(key))._equalsBoxedAndUnboxed(entry.kernelForDispatchKey(key)))) {
        return false;
      }
    }
  }
  return check.holds("number of kernels", found > 1);
}

void compareOperators(LayoutCheck& check) {
  const std::optional<c10::OperatorHandle> op = c10::Dispatcher::singleton().findSchema({"aten::add", "Tensor"});
  if (check.holds("presence of aten::add.Tensor", op.has_value()) && sameSchema(check, *op)) {
    sameKernels(check, *op);
  }
}

constexpr std::array<int64_t, 2> kShape = {2, 3};

/// The facts of a tensor that was made of kShape and double.
void compareTensors(LayoutCheck& check, const at::Tensor& tensor) {
  const c10::TensorImpl& impl = *tensor.unsafeGetTensorImpl();
  if (!check.same("number of references", tensor.use_count(), 1U) ||
      !check.same("number of dimensions", tensor.dim(), 2) || !check.same("number of elements", tensor.numel(), 6) ||
      !check.same("data type", toString(tensor.scalar_type()), "Double") ||
      !check.same("number of bytes", tensor.nbytes(), 6 * sizeof(double)) ||
      !check.holds("dispatch key CPU", impl.key_set().has(c10::DispatchKey::CPU)) ||
      !check.holds("absence of the dispatch key Python", !impl.key_set().has(c10::DispatchKey::Python)) ||
      !check.holds("density", !tensor.is_sparse()) || !check.holds("presence of a storage", impl.has_storage())) {
    return;
  }
  const c10::Storage& storage = impl.unsafe_storage();
  if (check.same("storage's number of references", storage.use_count(), 1U)) {
    check.same("storage's number of bytes", storage.nbytes(), 6 * sizeof(double));
    check.sameAddress(
        "storage's data", storage.data(), storage.data_ptr().get_context()); // the same for memory of the CPU
    check.holds("storage's data", storage.data() != nullptr && storage.device().is_cpu());
  }
}

using NodePointer = decltype(torch::autograd::impl::grad_accumulator(std::declval<const at::Tensor&>()));

/// Returns the node that accumulates the gradient of a leaf; null if pointers to nodes are not as long as in the
/// headers.
NodePointer nodeOf(LayoutCheck& check, const at::Tensor& leaf) {
  using witness::ReturnedWords;
  alignas(ReturnedWords) std::array<std::byte, sizeof(ReturnedWords)> memory;
  explicit_bzero(memory.data(), memory.size()); // the compiler may drop other writes before an object begins to live
  const auto* returned = new (memory.data()) ReturnedWords(witness::gradAccumulator(leaf));
  const size_t length = returned->words[1] == nullptr ? 1 : 2;
  if (!check.same("length of pointers", sizeof(NodePointer) / sizeof(void*), length)) {
    return {};
  }
  return std::move(*std::launder(reinterpret_cast<NodePointer*>(memory.data())));
}

/// Compares the node of a leaf: torch makes that one without a sequence number.
void compareNodes(LayoutCheck& check, const at::Tensor& leaf) {
  leaf.unsafeGetTensorImpl()->set_requires_grad(true);
  const NodePointer node = nodeOf(check, leaf);
  if (!check.holds("presence for a leaf", static_cast<bool>(node)) ||
      !check.same("sequence number", node->sequence_nr(), std::numeric_limits<uint64_t>::max()) ||
      !check.same("thread", node->thread_id(), at::RecordFunction::currentThreadId())) {
    return;
  }
  const auto* accumulate = dynamic_cast<const torch::autograd::AccumulateGrad*>(node.get());
  if (check.holds("class of a leaf's", accumulate != nullptr)) {
    check.sameAddress("leaf", accumulate->variable.unsafeGetTensorImpl(), leaf.unsafeGetTensorImpl());
  }
}

/// Compares which slot of a class's vtable has an exported function with the slot from which the tracker calls it.
bool sameSlot(LayoutCheck& check, const char* fact, const void* const* vtable, size_t slot, const char* function) {
  return check.holds(std::string("export of ") + fact, vtable != nullptr && function != nullptr) &&
         check.sameAddress(std::string("slot of ") + fact, functionInSlot(vtable, slot), function);
}

/// The protected members of a process group. Rank, size and backend's name are not read from it: their getters are
/// virtual, and Python may override them.
struct GroupMembers : c10d::ProcessGroup {
  /// c10d's getter returns the member itself. The map of backends is what the tracker looks into.
  static void compare(LayoutCheck& check, const c10d::ProcessGroup& group) {
    const auto& backends = group.*(&GroupMembers::backendTypeToBackend_);
    const std::string& desc = group.*(&GroupMembers::pg_desc_);
    check.sameAddress("description's address", &desc, &group.ProcessGroup::getGroupDesc());
    check.holds("load factor of the backends", backends.max_load_factor() == 1.0F);
    check.holds("number of backends", backends.size() <= backends.bucket_count());
  }
};

/// The protected members of a work.
struct WorkMembers : c10d::Work {
  static void compare(LayoutCheck& check, const c10d::Work& work) {
    check.same("operation", static_cast<int>(work.*(&WorkMembers::opType_)), static_cast<int>(work.retrieveOpType()));
  }
};

/// getBackendOptions() has no symbol; Gloo's broadcast() has the slot after it. A torch may be built without Gloo.
bool sameBackendSlots(LayoutCheck& check) {
  return gloo_vtable == nullptr ||
         sameSlot(check, "Backend::broadcast", gloo_vtable, vtableSlot(&c10d::Backend::broadcast), &gloo_broadcast);
}

/// Runs a comparison. An exception of torch's is a difference as well.
template <typename Compare>
std::string differenceOf(LayoutCheck check, const Compare& compare) {
  try {
    compare(check);
  } catch (const c10::Error& error) {
    check.same("check", error.what_without_backtrace(), "done");
  } catch (const std::exception& error) {
    check.same("check", error.what(), "done");
  }
  return check.difference();
}

} // namespace

std::string layoutDifference() {
  std::string difference = differenceOf(LayoutCheck("operators"), compareOperators);
  at::Tensor tensor;
  if (difference.empty()) {
    difference = differenceOf(LayoutCheck("tensors"), [&](LayoutCheck& check) {
      tensor = at::Tensor(at::detail::empty_cpu(kShape, at::kDouble));
      compareTensors(check, tensor);
    });
  }
  return difference.empty()
             ? differenceOf(LayoutCheck("autograd's nodes"), [&](LayoutCheck& check) { compareNodes(check, tensor); })
             : difference;
}

std::string layoutDifference(const c10d::ProcessGroup& group) {
  return differenceOf(LayoutCheck("process groups"), [&](LayoutCheck& check) {
    const auto slot_of_name = vtableSlot(&c10d::ProcessGroup::getGroupName);
    const auto slot_of_desc = vtableSlot(&c10d::ProcessGroup::getGroupDesc);
    if (sameSlot(check, "getGroupName", group_vtable, slot_of_name, &group_name_getter) &&
        sameSlot(check, "getGroupDesc", group_vtable, slot_of_desc, &group_desc_getter) && sameBackendSlots(check)) {
      GroupMembers::compare(check, group);
    }
  });
}

std::string layoutDifference(const c10d::Work& work) {
  return differenceOf(LayoutCheck("works"), [&](LayoutCheck& check) {
    if (sameSlot(check, "isSuccess", work_vtable, vtableSlot(&c10d::Work::isSuccess), &work_success_getter)) {
      WorkMembers::compare(check, work);
    }
  });
}

namespace {

/// Returns a text for a message: its beginning, without line breaks.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 120;
  std::string line(text.substr(0, kMost));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

} // namespace

bool LayoutCheck::same(std::string_view fact, std::string_view read, std::string_view stated) {
  if (difference_.empty() && read != stated) {
    difference_ = object_ + ": the " + std::string(fact) + " is " + shown(stated) + " and reads as " + shown(read);
  }
  return difference_.empty();
}

} // namespace commtap
