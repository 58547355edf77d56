// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/modules/module_hook.h"

#include "tests/unit/torch_doctest.h"

#include "tests/unit/tracker_fixture.h"
#include "tracker/attribution/attribution.h"
#include "tracker/attribution/module_registry.h"
#include "tracker/core/thread_state.h"

namespace commtap {
namespace {

std::string here() {
  return ModuleRegistry::get().nameOf(currentOrigin(*ThreadState::current()).issued_in, ModuleName::kClean);
}

TEST_CASE_FIXTURE(TrackerFixture, "scopes nest, and one name below one parent is one module") {
  const std::string outside = here();
  pushScope("train");
  pushScope("step");
  CHECK(here() == "train.step");
  const uint32_t first = currentOrigin(*ThreadState::current()).issued_in;
  CHECK(popScope());
  CHECK(here() == "train");
  pushScope("step");
  CHECK(currentOrigin(*ThreadState::current()).issued_in == first);
  CHECK(popScope());
  CHECK(popScope());
  CHECK(here() == outside);
}

TEST_CASE_FIXTURE(TrackerFixture, "popScope() fails outside of scopes and over an open module call") {
  CHECK_FALSE(popScope());
  ThreadState& thread = *ThreadState::current();
  pushScope("outer");
  const uint32_t depth = thread.enter({Scope::Type::kModule, false, kGlobalModule});
  CHECK_FALSE(popScope());
  thread.leave(depth);
  CHECK(popScope());
}

} // namespace
} // namespace commtap
