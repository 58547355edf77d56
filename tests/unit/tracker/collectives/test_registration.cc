// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/registration.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <stdexcept>

#include "tests/unit/tracker_fixture.h"

namespace commtap {
namespace {

int calls = 0;

at::Tensor exchange(const at::Tensor& x) {
  ++calls;
  return x;
}

at::Tensor exchangeTwice(const at::Tensor& x) {
  static const auto inner = c10::Dispatcher::singleton()
                                .findSchemaOrThrow("commtap_test::exchange", "")
                                .typed<at::Tensor(const at::Tensor&)>();
  return inner.call(inner.call(x));
}

at::Tensor fails(const at::Tensor&) {
  throw std::runtime_error("the op's own");
}

TORCH_LIBRARY(commtap_test, library) {
  library.def("exchange(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchange)));
  library.def("exchange_twice(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchangeTwice)));
  library.def("fails(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(fails)));
  library.def("selected(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchange)));
}

// No test names it without a kind: a kernel stays as it was made first.
TORCH_LIBRARY(commtap_named, library) {
  library.def(
      "share(Tensor y, Tensor x) -> Tensor",
      torch::dispatch(c10::DispatchKey::CPU, [](const at::Tensor& y, const at::Tensor&) { return y; }));
}

TORCH_LIBRARY_IMPL(commtap_test, BackendSelect, library) {
  library.impl("selected", TORCH_FN(exchange));
}

at::Tensor call(const char* op, const at::Tensor& x) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow((std::string("commtap_test::") + op).c_str(), "")
      .typed<at::Tensor(const at::Tensor&)>()
      .call(x);
}

struct Watching : TrackerFixture {
  Watching() {
    startKernels({"commtap_test::*", "commtap_late::*"});
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() {
    stopKernels();
  }

  uint64_t countOf(std::string_view op) const {
    uint64_t count = 0;
    for (const Collective& row : rows(op)) {
      count += row.count;
    }
    return count;
  }
};

TEST_CASE_FIXTURE(Watching, "an op that the user names is counted, and does what it did") {
  const uint64_t before = countOf("commtap_test.exchange");
  const at::Tensor x = at::ones({4});
  calls = 0;
  CHECK(call("exchange", x).is_same(x));
  CHECK(calls == 1);
  CHECK(countOf("commtap_test.exchange") == before + 1);
  CHECK(rows("commtap_test.exchange").front().kind == Kind::kOther);
}

TEST_CASE_FIXTURE(Watching, "only the outermost op counts; its row names the ops that it calls") {
  const uint64_t before = countOf("commtap_test.exchange");
  call("exchange_twice", at::ones({4}));
  CHECK(countOf("commtap_test.exchange") == before);
  REQUIRE(rows("commtap_test.exchange_twice").size() == 1);
  CHECK(rows("commtap_test.exchange_twice").front().lowered == std::vector<std::string>{"commtap_test.exchange"});
}

TEST_CASE_FIXTURE(Watching, "an op that throws is counted, throws what it threw, and leaves the thread as it was") {
  CHECK_THROWS_WITH_AS(call("fails", at::ones({1})), "the op's own", std::runtime_error);
  CHECK(countOf("commtap_test.fails") == 1);
  const uint64_t before = countOf("commtap_test.exchange");
  call("exchange", at::ones({1}));
  CHECK(countOf("commtap_test.exchange") == before + 1);
}

TEST_CASE_FIXTURE(Watching, "meta tensors are a dry run") {
  const uint64_t before = countOf("commtap_test.exchange");
  CHECK_THROWS(call("exchange", at::ones({4}, at::kMeta))); // the op has no kernel for meta tensors
  CHECK(countOf("commtap_test.exchange") == before);
}

TEST_CASE_FIXTURE(Watching, "an op with its own kernel on the same key is left alone and is in not_seen") {
  call("selected", at::ones({4}));
  CHECK(rows("commtap_test.selected").empty());
  CHECK(notSeen("unwatched_op") >= 1);
}

TEST_CASE_FIXTURE(Watching, "an op that is defined later gets its kernel at the next module call") {
  torch::Library late(torch::Library::DEF, "commtap_late", std::nullopt, __FILE__, __LINE__);
  late.def("exchange(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchange)));
  CHECK(late_ops_queued.load());
  registerLateOps();
  CHECK_FALSE(late_ops_queued.load());
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("commtap_late::exchange", "")
      .typed<at::Tensor(const at::Tensor&)>()
      .call(at::ones({1}));
  CHECK(countOf("commtap_late.exchange") == 1);
  stopKernels(); // before the op is destroyed
}

TEST_CASE_FIXTURE(Watching, "any op registers the kernels of the ops defined before it") {
  torch::Library late(torch::Library::DEF, "commtap_late", std::nullopt, __FILE__, __LINE__);
  late.def("first(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchange)));
  const at::Tensor x = at::ones({1});
  CHECK_FALSE(late_ops_queued.load());
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("commtap_late::first", "")
      .typed<at::Tensor(const at::Tensor&)>()
      .call(x);
  CHECK(countOf("commtap_late.first") == 1);
  stopKernels();
}

TEST_CASE_FIXTURE(Watching, "an op that is called before its kernel is registered is in not_seen, once") {
  const at::Tensor x = at::ones({1});
  const uint64_t before = notSeen("unwatched_op");
  torch::Library late(torch::Library::DEF, "commtap_late", std::nullopt, __FILE__, __LINE__);
  late.def("at_once(Tensor x) -> Tensor", torch::dispatch(c10::DispatchKey::CPU, TORCH_FN(exchange)));
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow("commtap_late::at_once", "")
                      .typed<at::Tensor(const at::Tensor&)>();
  op.call(x);
  CHECK(notSeen("unwatched_op") == before + 1);
  op.call(x);
  CHECK(notSeen("unwatched_op") == before + 1);
  CHECK(countOf("commtap_late.at_once") == 1);
  stopKernels();
}

/// A boxed kernel, like those from Python: without C++ types.
void firstArgument(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  torch::jit::drop(*stack, op.schema().arguments().size() - 1);
}

TEST_CASE_FIXTURE(Watching, "an op that is redefined with other arguments is counted by those") {
  const c10::IValue x = at::ones({1});
  const uint64_t before = notSeen("unwatched_op");
  for (const char* schema : {"anew(Tensor x) -> Tensor", "anew(Tensor x, int n, Tensor y) -> Tensor"}) {
    torch::Library late(torch::Library::DEF, "commtap_late", std::nullopt, __FILE__, __LINE__);
    late.def(schema);
    late.impl(
        "anew", torch::dispatch(c10::DispatchKey::CPU, torch::CppFunction::makeFromBoxedFunction<&firstArgument>()));
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("commtap_late::anew", "");
    for (int nth = 0; nth < 2; ++nth) {
      torch::jit::Stack stack{x, 1, x};
      stack.resize(op.schema().arguments().size());
      op.callBoxed(stack);
      CHECK(stack.size() == 1);
    }
  }
  CHECK(countOf("commtap_late.anew") == 3); // all except the first, which ran before commtap's kernel was registered
  CHECK(notSeen("unwatched_op") == before + 1);
  stopKernels();
}

TEST_CASE_FIXTURE(TrackerFixture, "an op that the user names with its kind and argument counts as that kind") {
  startKernels({"commtap_named::share all_to_all x"});
  c10::Dispatcher::singleton()
      .findSchemaOrThrow("commtap_named::share", "")
      .typed<at::Tensor(const at::Tensor&, const at::Tensor&)>()
      .call(at::ones({1}), at::ones({4}));
  stopKernels();
  const std::vector<Collective> found = rows("commtap_named.share");
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == Kind::kAllToAll);
  CHECK(found[0].bytes == 4 * sizeof(float));
}

TEST_CASE_FIXTURE(TrackerFixture, "after stopping, no op goes through a kernel") {
  startKernels({"commtap_test::*"});
  stopKernels();
  const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("commtap_test::exchange", "");
  CHECK_FALSE(op.hasKernelForDispatchKey(c10::DispatchKey::BackendSelect));
  const auto all_reduce = c10::Dispatcher::singleton().findSchemaOrThrow("c10d::allreduce_", "");
  CHECK_FALSE(all_reduce.hasKernelForDispatchKey(c10::DispatchKey::BackendSelect));
}

} // namespace
} // namespace commtap
