// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/job_address.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a job address is plain text for any run name") {
  CHECK(jobAddress({"a-b_c.9", 3}) == "job?run=a-b_c.9&attempt=3");
  CHECK(jobAddress({"50% & \"#?/\xc3\xa9+\n", 0}) == "job?run=50%25%20%26%20%22%23%3F%2F%C3%A9%2B%0A&attempt=0");
}

TEST_CASE("the parameters of a job address name a run and attempt, or are rejected") {
  CHECK(attemptFrom({{"run", "a b"}, {"attempt", "3"}}) == AttemptKey("a b", 3));
  CHECK(attemptFrom({{"run", ""}, {"attempt", "0"}}) == AttemptKey("", 0));
  CHECK_FALSE(attemptFrom({{"run", "a"}}));
  CHECK_FALSE(attemptFrom({{"attempt", "0"}}));
  for (const char* attempt : {"", "x", "1x", "0x1", "99999999999999999999"}) {
    CAPTURE(attempt);
    CHECK_FALSE(attemptFrom({{"run", "a"}, {"attempt", attempt}}));
  }
}

} // namespace
} // namespace commtap
