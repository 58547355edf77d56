// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/listed_tensors.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/fake_group.h"
#include "tests/unit/tracker/collectives/op_handles.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/module_registry.h"

namespace commtap {
namespace {

/// Two layers of one parameter each below a root.
struct ListFixture : TrackerFixture {
  static at::Tensor addLayer(uint32_t root, const char* name, int64_t elements) {
    ModuleRegistry& modules = ModuleRegistry::get();
    at::Tensor weight = at::ones({elements});
    const uint32_t layer = modules.add(root, name, "C", ModuleRole::kPlain, false);
    modules.addParameter(layer, weight.unsafeGetTensorImpl(), weight.storage());
    return weight;
  }
  /// Gathers `sent` into `list`, and returns the module of the row.
  std::string moduleOfGather(const std::string& group, const std::vector<at::Tensor>& list, const at::Tensor& sent) {
    c10::List<c10::List<at::Tensor>> lists;
    lists.push_back(c10::List<at::Tensor>(c10::ArrayRef<at::Tensor>(list)));
    torch::jit::Stack stack;
    stack.emplace_back(std::move(lists));
    stack.emplace_back(c10::List<at::Tensor>({sent}));
    stack.emplace_back(makeGroup(group, "", 2));
    stack.emplace_back(false);
    stack.emplace_back(int64_t{-1});
    const c10::DispatchKeySet keys = c10::DispatchKeySet(c10::DispatchKey::CPU).add(c10::DispatchKey::BackendSelect);
    { const CallWatch watch(factsOf(handleOf("c10d::allgather_")), keys, stack.data()); }
    for (const Collective& row : report().collectives) {
      if (row.group == group) {
        return row.module;
      }
    }
    return "no row";
  }
  /// Returns "MODULE BYTES" of each member of a group's row.
  std::set<std::string> membersOf(const std::string& group) const {
    const Report all = report();
    std::set<std::string> found;
    for (const Member& member : all.members) {
      if (all.collectives[member.row].group == group) {
        CHECK_FALSE(member.count);
        found.insert(member.module + " " + std::to_string(member.bytes));
      }
    }
    return found;
  }

  const uint32_t root_ = ModuleRegistry::get().add(0, "Listed", "C", ModuleRole::kPlain, false);
  const at::Tensor a_ = addLayer(root_, "a", 2);
  const at::Tensor b_ = addLayer(root_, "b", 4);
};

TEST_CASE_FIXTURE(ListFixture, "a call with a list is at the common ancestor of its tensors, whichever is sent") {
  const std::string root = ModuleRegistry::get().nameOf(root_, ModuleName::kRaw);
  CHECK(moduleOfGather("k-list-a", {a_, b_}, a_) == root);
  CHECK(moduleOfGather("k-list-b", {a_, b_.view({2, 2})}, b_) == root);
  CHECK(membersOf("k-list-a") == std::set<std::string>{root + ".a 8", root + ".b 16"});
  CHECK(membersOf("k-list-b") == membersOf("k-list-a"));
}

TEST_CASE_FIXTURE(
    ListFixture,
    "memory of no parameter in a list is padding, and a list of nothing else has no members") {
  const std::string root = ModuleRegistry::get().nameOf(root_, ModuleName::kRaw);
  CHECK(moduleOfGather("k-padded", {a_, at::ones({2})}, a_) == root + ".a");
  CHECK(membersOf("k-padded") == std::set<std::string>{root + ".a 8", " 8"});
  CHECK(moduleOfGather("k-one", {a_.narrow(0, 0, 1), a_.narrow(0, 1, 1)}, a_) == root + ".a");
  CHECK(membersOf("k-one").empty()); // it is the row's own module
  CHECK(moduleOfGather("k-scratch", {at::ones({4}), at::ones({4})}, b_) == root + ".b");
  CHECK(moduleOfGather("k-none", {at::ones({4}), at::ones({4})}, at::ones({4})) == "Global");
  CHECK(membersOf("k-scratch").empty());
  CHECK(membersOf("k-none").empty());
}

} // namespace
} // namespace commtap
