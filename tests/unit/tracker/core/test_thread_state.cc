// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/thread_state.h"

#include "tests/unit/torch_doctest.h"

#include <thread>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

Scope moduleScope(uint32_t module) {
  return {Scope::Type::kModule, false, module};
}

TEST_CASE_FIXTURE(TrackerFixture, "scopes nest, and leaving one leaves those inside it") {
  ThreadState& thread = *ThreadState::current();
  CHECK(thread.currentModule() == kGlobalModule);
  const uint32_t outer = thread.enter(moduleScope(1));
  thread.enter(moduleScope(2));
  thread.enter(moduleScope(3));
  CHECK(thread.currentModule() == 3);
  thread.leave(outer); // as after an exception that unwound two scopes
  CHECK(thread.currentModule() == kGlobalModule);
  CHECK(thread.top() == nullptr);
}

TEST_CASE_FIXTURE(
    TrackerFixture,
    "a call is outermost also inside an optimizer's step, unless a call is around the step") {
  ThreadState& thread = *ThreadState::current();
  CHECK(thread.openCall().is_outermost);
  const uint32_t step = thread.enter({Scope::Type::kOptimizerStepWithClosure, false, thread.currentModule()});
  CHECK(thread.openCall().is_outermost);
  const uint32_t root = thread.enter(moduleScope(1));
  CHECK_FALSE(thread.openCall().is_outermost);
  thread.leave(root);
  CHECK(thread.openCall().is_outermost);
  thread.leave(step);
  const uint32_t around = thread.enter(moduleScope(1));
  thread.enter({Scope::Type::kOptimizerStep, false, thread.currentModule()});
  CHECK_FALSE(thread.openCall().is_outermost);
  thread.leave(around);
}

TEST_CASE_FIXTURE(TrackerFixture, "a stack that is too deep keeps the outer scopes, is in not_seen, and unwinds") {
  ThreadState& thread = *ThreadState::current();
  const uint64_t before = notSeen("module_stack_too_deep");
  const uint32_t outer = thread.enter(moduleScope(1));
  for (uint32_t i = 2; i <= 300; ++i) {
    thread.enter(moduleScope(i));
  }
  CHECK(thread.currentModule() == 200);
  CHECK(notSeen("module_stack_too_deep") == before + 100);
  thread.leave(outer);
  CHECK(thread.top() == nullptr);
}

TEST_CASE_FIXTURE(TrackerFixture, "each thread has its own, the same all its life") {
  ThreadState* mine = ThreadState::current();
  CHECK(ThreadState::current() == mine);
  ThreadState* others = nullptr;
  std::thread([&] { others = ThreadState::current(); }).join();
  CHECK(others != nullptr);
}

} // namespace
} // namespace commtap
