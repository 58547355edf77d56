// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_post.h"

#include <doctest/doctest.h>

#include "tests/unit/raw_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("without an answer there is a reason") {
  const HttpReply reply = postJson("http://127.0.0.1:1/hook", "{}", {});
  CHECK(reply.status == 0);
  CHECK(reply.problem == "no connection: Connection refused");
  CHECK(has(postJson("host", "{}", {}).problem, "expected a URL"));
}

TEST_CASE("only a success takes the request; a redirection is not followed") {
  CHECK(isTaken(postJson(RawServer("HTTP/1.1 202 Accepted\r\n\r\n").url(), "{}", {})));
  const RawServer there("HTTP/1.1 200 OK\r\n\r\n");
  const RawServer moved("HTTP/1.1 307 Moved\r\nLocation: " + there.url() + "\r\n\r\n");
  const HttpReply reply = postJson(moved.url(), "{}", {});
  CHECK_FALSE(isTaken(reply));
  CHECK(statusText(reply) == "answered with status 307, a redirection: give the address it leads to");
  CHECK(statusText({500, "", ""}) == "answered with status 500");
}

} // namespace
} // namespace commtap
