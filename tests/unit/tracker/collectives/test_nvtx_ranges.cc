// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/collectives/nvtx_ranges.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/unit/torch_doctest.h"
#include "tests/unit/tracker_fixture.h"
#include "tracker/collectives/collective_observers.h"
#include "tracker/core/process_ledger.h"

namespace commtap {
namespace {

/// Returns the key of a collective in the forward of no module.
CollectiveKey forwardKey(const char* label) {
  CollectiveKey key{};
  key.group = kNoIndex;
  key.phase = Phase::kForward;
  key.label = *label == '\0' ? 0 : ProcessLedger::ledger().labelId(label);
  return key;
}

/// Opens and ends two ranges, one in the other, in a child whose profiler is `library`, and returns what is said.
std::string said(const char* library) {
  return TrackerFixture::runInTrackedChild([library] {
           library == nullptr ? unsetenv("NVTX_INJECTION64_PATH") : setenv("NVTX_INJECTION64_PATH", library, 1);
           NvtxRanges::start();
           for (const char* label : {"", "evaluate"}) {
             if (!NvtxRanges::push(forwardKey(label))) {
               sayLine("no range");
             }
           }
           if (library != nullptr && std::getenv("NVTX_REFUSES") == nullptr) {
             NvtxRanges::pop();
             NvtxRanges::pop();
           }
         })
      .said;
}

/// Removes the numbers, which are those of threads.
std::string withoutNumbers(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

TEST_CASE_FIXTURE(TrackerFixture, "the profiler is loaded once, and gets ranges with module, label and phase") {
  CHECK(
      withoutNumbers(said(COMMTAP_NVTX_RECORDER)) ==
      "load\ndomain commtap\npush commtap  Global forward\npush commtap  Global [evaluate] forward\n"
      "pop commtap \npop commtap \n");
}

TEST_CASE_FIXTURE(TrackerFixture, "without a profiler, or with one that wants none, there are no ranges") {
  CHECK(said(nullptr) == "no range\nno range\n");
  setenv("NVTX_REFUSES", "1", 1);
  const std::string refused = said(COMMTAP_NVTX_RECORDER);
  unsetenv("NVTX_REFUSES");
  CHECK(refused.ends_with("no range\nno range\n"));
  CHECK(refused.find("COMMTAP_NVTX makes no ranges") == refused.rfind("COMMTAP_NVTX makes no ranges"));
}

TEST_CASE_FIXTURE(TrackerFixture, "without COMMTAP_NVTX no range is opened, and no observer is active") {
  CHECK_FALSE(NvtxRanges::push(forwardKey("")));
  CHECK_FALSE(CollectiveObservers::any());
}

} // namespace
} // namespace commtap
