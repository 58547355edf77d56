// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/counting.h"

#include "tests/unit/torch_doctest.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "report/json/report_json.h"
#include "tests/unit/issued_call.h"
#include "tests/unit/samples.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/collective_observers.h"

namespace commtap {
namespace {

class ApiFixture : public TrackerFixture {
 public:
  std::string currentModule() const {
    std::array<char, 256> text{};
    const long length = api.current_module(text.data(), text.size());
    REQUIRE(length == static_cast<long>(std::string(text.data()).size()));
    return text.data();
  }
  /// Counts one call of `op`, which open captures and the callback see too.
  static void collective(std::string_view op, uint64_t bytes) {
    const OpFrame call = issuedCall(op, bytes);
    CollectiveObservers::collective(*call.row, bytes);
  }

  const commtap_api api = apiTable();
};

TEST_CASE_FIXTURE(ApiFixture, "every function of commtap.h is there") {
#define COMMTAP_CHECK_THERE(result, name, parameters, arguments) CHECK((api.name != nullptr));
  COMMTAP_FOR_EACH_FUNCTION(COMMTAP_CHECK_THERE)
#undef COMMTAP_CHECK_THERE
}

TEST_CASE_FIXTURE(ApiFixture, "scopes nest, and their name is that of the current module") {
  CHECK(currentModule() == "Global");
  CHECK(api.scope_push("api") == COMMTAP_OK);
  CHECK(api.scope_push("inner") == COMMTAP_OK);
  CHECK(currentModule() == "api.inner");
  CHECK(api.scope_pop() == COMMTAP_OK);
  CHECK(currentModule() == "api");
  CHECK(api.scope_pop() == COMMTAP_OK);
  CHECK(currentModule() == "Global");
  CHECK(api.scope_pop() == COMMTAP_INVALID);
}

TEST_CASE_FIXTURE(ApiFixture, "a scope without a name, a place without memory and an unknown module are invalid") {
  CHECK(api.scope_push(nullptr) == COMMTAP_INVALID);
  CHECK(api.scope_push("") == COMMTAP_INVALID);
  CHECK(api.where(nullptr) == COMMTAP_INVALID);
  commtap_place place{};
  CHECK(api.module_info(0xffffffffU, &place) == COMMTAP_INVALID);
  CHECK(api.module_info(0, nullptr) == COMMTAP_INVALID);
  CHECK(currentModule() == "Global");
}

TEST_CASE_FIXTURE(ApiFixture, "a text that does not fit is cut, and its whole length returned") {
  std::array<char, 4> text{'x', 'x', 'x', 'x'};
  CHECK(api.current_module(text.data(), 3) == 6);
  CHECK(std::string(text.data()) == "Gl");
  CHECK(text[3] == 'x');
  CHECK(api.current_module(text.data(), 0) == 6);
  CHECK(text[0] == 'G');
  CHECK(api.current_module(nullptr, 0) == 6);
}

TEST_CASE_FIXTURE(ApiFixture, "where() and module_info() name a place, its parent and its phase") {
  commtap_place place{};
  REQUIRE(api.where(&place) == COMMTAP_OK);
  CHECK(place.module_id == 0);
  CHECK(place.parent_id == 0);
  CHECK(place.module == std::string("Global"));
  CHECK(place.phase == std::string("other"));
  REQUIRE(api.scope_push("api-outer") == COMMTAP_OK);
  REQUIRE(api.where(&place) == COMMTAP_OK);
  const uint32_t outer = place.module_id;
  REQUIRE(api.scope_push("inner") == COMMTAP_OK);
  REQUIRE(api.where(&place) == COMMTAP_OK);
  CHECK(place.parent_id == outer);
  CHECK(place.module == std::string("api-outer.inner"));
  CHECK(place.phase == std::string("forward"));
  REQUIRE(api.scope_pop() == COMMTAP_OK);
  REQUIRE(api.scope_pop() == COMMTAP_OK);
  commtap_place found{};
  REQUIRE(api.module_info(place.module_id, &found) == COMMTAP_OK);
  CHECK(found.module_id == place.module_id);
  CHECK(found.parent_id == outer);
  CHECK(found.module == std::string("api-outer.inner"));
  CHECK(found.phase == std::string());
}

TEST_CASE_FIXTURE(ApiFixture, "is_backward() is true while autograd runs one on this thread") {
  CHECK(api.is_backward() == 0);
  int inside = -1;
  const at::Tensor x = at::ones({2}).requires_grad_();
  const at::Tensor y = x * 2;
  y.register_hook([&](const at::Tensor&) { inside = api.is_backward(); });
  torch::autograd::backward({y.sum()}, {});
  CHECK(inside == 1);
  CHECK(api.is_backward() == 0);
}

TEST_CASE_FIXTURE(ApiFixture, "a snapshot is the report so far, as text or as a file") {
  collective("api.snapshot", 24);
  const long length = api.snapshot(nullptr, 0);
  REQUIRE(length > 0);
  std::string text(static_cast<size_t>(length) + 4096, 'x');
  REQUIRE(api.snapshot(text.data(), text.size()) > 0);
  const Result<Report> parsed = reportFromJson(text.c_str());
  REQUIRE(parsed);
  CHECK(parsed->job.exit == ExitKind::kRunning);
  const TempFolder folder;
  REQUIRE(api.snapshot_file((folder / "snapshot.json").c_str()) == COMMTAP_OK);
  const Result<Report> written = reportFromJson(readText(folder / "snapshot.json"));
  REQUIRE(written);
  for (const Report& each : {*parsed, *written}) {
    uint64_t bytes = 0;
    for (const Collective& row : each.collectives) {
      bytes += row.op == "api.snapshot" ? row.bytes : 0;
    }
    CHECK(bytes == 24);
  }
}

TEST_CASE_FIXTURE(ApiFixture, "a snapshot that cannot be written says why in errno, and leaves nothing") {
  const TempFolder folder;
  CHECK(api.snapshot_file(nullptr) == COMMTAP_INVALID);
  CHECK(api.snapshot_file("") == COMMTAP_INVALID);
  writeText(folder / "file", "");
  errno = 0;
  CHECK(api.snapshot_file((folder / "file/snapshot.json").c_str()) == COMMTAP_FAILED);
  CHECK(errno == ENOTDIR);
  CHECK(namesIn(folder.path()) == std::vector<std::string>{"file"});
}

TEST_CASE_FIXTURE(ApiFixture, "a capture has its own counts, as many rows as fit, until it ends") {
  const long capture = api.capture_begin(COMMTAP_ALL_THREADS);
  REQUIRE(capture > 0);
  collective("api.first", 4);
  collective("api.second", 8);
  collective("api.first", 4);
  CHECK(api.capture_read(capture, nullptr, 9) == 2);
  std::array<commtap_collective, 2> rows{};
  rows[1].op = "untouched";
  REQUIRE(api.capture_read(capture, rows.data(), 1) == 2);
  CHECK(rows[0].op == std::string("api.first"));
  CHECK(rows[0].count == 2);
  CHECK(rows[0].bytes == 8);
  CHECK(rows[1].op == std::string("untouched"));
  REQUIRE(api.capture_read(capture, rows.data(), rows.size()) == 2);
  CHECK(rows[1].op == std::string("api.second"));
  CHECK(api.capture_end(capture) == COMMTAP_OK);
  CHECK(api.capture_end(capture) == COMMTAP_INVALID);
  CHECK(api.capture_read(capture, rows.data(), rows.size()) == COMMTAP_INVALID);
}

TEST_CASE_FIXTURE(ApiFixture, "the callbacks get their context, and nothing once they are removed") {
  uint64_t bytes = 0;
  const auto on_collective = [](const commtap_collective* call, void* context) {
    *static_cast<uint64_t*>(context) += call->bytes;
  };
  CHECK(api.set_collective_callback(on_collective, &bytes) == COMMTAP_OK);
  collective("api.callback", 3);
  CHECK(api.set_collective_callback(nullptr, nullptr) == COMMTAP_OK);
  collective("api.callback", 3);
  CHECK(bytes == 3);
  int ops = 0;
  const auto on_op = [](const commtap_op* op, void* context) {
    *static_cast<int*>(context) += std::string(op->name) == "aten::neg" ? 1 : 0;
  };
  const at::Tensor x = at::ones({2});
  CHECK(api.set_op_callback(on_op, &ops) == COMMTAP_OK);
  x.neg();
  CHECK(api.set_op_callback(nullptr, nullptr) == COMMTAP_OK);
  x.neg();
  CHECK(ops == 1);
}

TEST_CASE_FIXTURE(ApiFixture, "a process without Python has no modules to observe") {
  int object = 0;
  CHECK(api.observe_modules(&object, nullptr) == COMMTAP_INVALID);
  CHECK(api.module_id(&object) == COMMTAP_INVALID);
}

TEST_CASE_FIXTURE(ApiFixture, "reset() sets the counts to 0, and leaves captures alone") {
  const ChildResult child = runInTrackedChild([&] {
    const long capture = api.capture_begin(COMMTAP_ALL_THREADS);
    collective("api.reset", 5);
    const int result = api.reset();
    commtap_collective row{};
    const long captured = api.capture_read(capture, &row, 1);
    sayLine(std::to_string(result) + " " + std::to_string(captured) + " " + std::to_string(row.bytes));
    sayLine(std::to_string(this->rows("api.reset").size()));
  });
  CHECK(child.said == "0 1 5\n0\n");
}

TEST_CASE_FIXTURE(ApiFixture, "mark_step() ends a step") {
  const ChildResult child = runInTrackedChild([&] { // from then on no optimizer ends a step
    const uint64_t before = report().steps.back().first_step;
    const int result = api.mark_step();
    sayLine(std::to_string(result) + " " + std::to_string(report().steps.back().first_step - before));
  });
  CHECK(child.said == "0 1\n");
}

TEST_CASE_FIXTURE(ApiFixture, "current_step() is the number of the running step") {
  const ChildResult child = runInTrackedChild([&] {
    const long before = api.current_step();
    api.mark_step();
    sayLine(std::to_string(api.current_step() - before));
  });
  CHECK(child.said == "1\n");
}

TEST_CASE_FIXTURE(ApiFixture, "stop() removes the kernels and start() installs them, each once") {
  const ChildResult child = runInTrackedChild([&] {
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("c10d::allreduce_", "");
    const auto say = [&](int result) {
      sayLine(std::to_string(result) + (op.hasKernelForDispatchKey(c10::DispatchKey::BackendSelect) ? " on" : " off"));
    };
    for (int nth = 0; nth < 2; ++nth) {
      say(api.stop());
      say(api.stop());
      say(api.start());
      say(api.start());
    }
  });
  CHECK(child.said == "0 off\n0 off\n0 on\n0 on\n0 off\n0 off\n0 on\n0 on\n");
}

TEST_CASE_FIXTURE(ApiFixture, "keep_in_memory() must come before the first output") {
  ProcessLedger::get().processGroupSeen(-1, -1);
  CHECK(api.keep_in_memory() == COMMTAP_INVALID);
  const ChildResult child = runInTrackedChild([&] { sayLine(std::to_string(api.keep_in_memory())); });
  CHECK(child.said == "0\n");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they end a process that finds no memory
TEST_CASE_FIXTURE(ApiFixture, "without memory a function fails, and no exception leaves it") {
  const ChildResult child = runInTrackedChild([&] {
    const std::string name(size_t{64} << 20U, 'n');
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    const rlimit none{0, limit.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    const int result = api.scope_push(name.c_str());
    setrlimit(RLIMIT_AS, &limit);
    sayLine(std::to_string(result) + " " + currentModule());
  });
  CHECK(child.status == 0);
  CHECK(child.said == "-3 Global\n");
}
#endif

} // namespace
} // namespace commtap
