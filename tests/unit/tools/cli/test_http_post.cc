// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/http_post.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("what is no URL is said") {
  CHECK(urlProblem("http://host:80/path").empty());
  CHECK(has(urlProblem("host/path"), "expected a URL"));
}

TEST_CASE("without an answer there is a reason") {
  const PostAnswer answer = postJson("http://127.0.0.1:1/hook", "{}", std::chrono::seconds(1));
  CHECK(answer.status == 0);
  CHECK_FALSE(answer.body.empty());
}

} // namespace
} // namespace commtap
