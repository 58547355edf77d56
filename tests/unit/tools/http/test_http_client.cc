// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_client.h"

#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "tests/unit/raw_server.h"
#include "tests/unit/running_server.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string textOf(const std::string& url) {
  const Result<HttpUrl> parsed = parseUrl(url);
  return parsed ? parsed->server.text() + " " + parsed->path : parsed.error();
}

TEST_CASE("a URL has a host, a port or 80, and a path") {
  CHECK(textOf("http://host:8080/a/b?c=d") == "host:8080 /a/b?c=d");
  CHECK(textOf("http://host") == "host:80 /");
  CHECK(textOf("http://host?c=d") == "host:80 /?c=d");
  CHECK(textOf("http://[::1]:4318/v1/metrics#part") == "[::1]:4318 /v1/metrics");
  CHECK(textOf("http://[::1]/") == "[::1]:80 /");
}

TEST_CASE("what is no URL is said") {
  CHECK(has(textOf("https://host/"), "https://host/: expected a URL that begins with http:// (there is no TLS)"));
  CHECK(has(textOf("host/path"), "begins with http://"));
  for (const char* wrong :
       {"http://", "http:///x", "http://host:0/", "http://host:x/", "http://user@host/", "http://a:b:c/"}) {
    CAPTURE(wrong);
    CHECK(has(textOf(wrong), "expected http://HOST"));
  }
  for (const char* wrong : {"http://host/a b", "http://host/\r\nX: y", "http://host/\x1b"}) {
    CAPTURE(wrong);
    CHECK(has(textOf(wrong), "without spaces"));
  }
}

constexpr const char* kOk = "HTTP/1.1 200 OK\r\n";

HttpReply ask(const RawServer& server, const HttpLimits& limits = {}) {
  return askServer({server.address(), "/x", "", std::nullopt}, limits);
}

HttpReply replyTo(const std::string& answer) {
  return ask(RawServer(answer));
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) {
    all += text;
  }
  return all;
}

TEST_CASE("a body ends at its length, at its last chunk or at the end of the stream") {
  const std::string ok = kOk;
  CHECK(replyTo(ok + "Content-Length: 3\r\n\r\nabcdef").body == "abc");
  CHECK(replyTo(ok + "content-length:  3  \r\nX: y\r\n\r\nabc").body == "abc");
  CHECK(
      replyTo(ok + "Transfer-Encoding: Chunked\r\n\r\n2;x=y\r\nab\r\nA\r\n0123456789\r\n0\r\n\r\n").body ==
      "ab0123456789");
  CHECK(replyTo("HTTP/1.0 200 OK\n\nall of it").body == "all of it");
  CHECK(replyTo("HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 1\r\n\r\na").body == "a");
  const HttpReply nothing = replyTo("HTTP/1.1 204 No Content\r\n\r\nabc");
  CHECK(nothing.status == 204);
  CHECK(nothing.body.empty());
  CHECK(nothing.problem.empty());
}

TEST_CASE("the request has what was asked for") {
  std::string request;
  const auto keep = [&request](const std::string& head, const RawServer::Send& send) {
    request = head;
    send("HTTP/1.1 200 OK\r\n\r\n");
  };
  {
    const RawServer server(keep);
    CHECK(askServer({server.address(), "/a?b=c", "secret", std::nullopt}, {}).problem.empty());
    CHECK(request.starts_with("GET /a?b=c HTTP/1.1\r\nHost: " + server.address().text() + "\r\n"));
    CHECK(has(request, "\r\nAuthorization: Bearer secret\r\n"));
  }
  const RawServer server(keep);
  CHECK(askServer({server.address(), "/", "", "{}"}, {}).problem.empty());
  CHECK(request.starts_with("POST / HTTP/1.1\r\n"));
  CHECK(has(request, "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"));
}

TEST_CASE("an answer that is not HTTP, or not whole, has a reason") {
  const std::string ok = kOk;
  CHECK(replyTo("").problem == "no answer");
  CHECK(replyTo("HTTP/1.1 200 OK\r\nX").problem == "the answer ends early");
  CHECK(replyTo(ok + "Content-Length: 9\r\n\r\nabc").problem == "the answer ends early");
  CHECK(replyTo(ok + "Transfer-Encoding: chunked\r\n\r\n9\r\nabc").problem == "the answer ends early");
  CHECK(
      replyTo(ok + "Transfer-Encoding: gzip\r\n\r\nabc").problem ==
      "its answer has an encoding that was not asked for");
  for (const std::string& wrong :
       {std::string("SSH-2.0-x\r\n\r\n"),
        std::string("HTTP/1.1 2x0 OK\r\n\r\n"),
        std::string("HTTP/1.1 99 OK\r\n\r\n"),
        ok + "Content-Length: -1\r\n\r\n",
        ok + "Content-Length: 99999999999999999999999\r\n\r\n",
        ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        ok + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        ok + "Transfer-Encoding: chunked\r\n\r\n\r\n",
        ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        ok + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nab"}) {
    CAPTURE(wrong);
    CHECK(replyTo(wrong).problem == "its answer is not HTTP");
  }
}

TEST_CASE("nothing that a server sends without end takes more than the limits") {
  const HttpLimits limits = {.answer = std::chrono::seconds(5), .bytes = 1U << 20U};
  const std::string ok = kOk;
  const std::string long_head = "the answer's headers are longer than 64 KiB";
  const std::string long_body = "the answer is longer than 1 MiB";
  CHECK(ask(RawServer(ok, "X: y\r\n"), limits).problem == long_head);
  CHECK(ask(RawServer("HTTP/1.1 ", repeated("2", 1000)), limits).problem == long_head);
  CHECK(ask(RawServer("", "HTTP/1.1 100 Continue\r\n\r\n"), limits).problem == long_head);
  CHECK(ask(RawServer(ok + "\r\n", repeated("x", 1000)), limits).problem == long_body);
  CHECK(ask(RawServer(ok + "Content-Length: 2000000\r\n\r\n"), limits).problem == long_body);
  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  CHECK(ask(RawServer(chunked, "1\r\nx\r\n"), limits).problem == long_body);
  CHECK(ask(RawServer(chunked + "1;", repeated("x", 1000)), limits).problem == long_body);
  CHECK(ask(RawServer(chunked + "fffffffffffffff\r\n", repeated("x", 1000)), limits).problem == long_body);
}

TEST_CASE("a server that is slow anywhere is left at the deadline") {
  const HttpLimits limits = {.answer = std::chrono::milliseconds(300)};
  const std::string ok = kOk;
  for (const std::string& begin : {std::string(), ok, ok + "\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n"}) {
    CAPTURE(begin);
    const RawServer server([&begin](const std::string& /*request*/, const RawServer::Send& send) {
      bool goes_on = send(begin);
      while (goes_on) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        goes_on = send("1");
      }
    });
    const auto start = std::chrono::steady_clock::now();
    CHECK(ask(server, limits).problem == "no complete answer within 0.3 s");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
  }
}

TEST_CASE("a status is enough if no body is wanted, and a redirection is only a status") {
  const HttpReply reply = ask(RawServer("HTTP/1.1 200 OK\r\n\r\n", "x"), {.bytes = 0});
  CHECK(reply.status == 200);
  CHECK(reply.problem.empty());
  const RawServer there("HTTP/1.1 200 OK\r\n\r\nthere");
  const HttpReply redirected = replyTo("HTTP/1.1 302 Found\r\nLocation: " + there.url() + "\r\n\r\nmoved");
  CHECK(redirected.status == 302);
  CHECK(redirected.body.empty());
}

TEST_CASE("a sink takes the body in pieces and can end it") {
  const RawServer server(std::string(kOk) + "\r\n", "xyz");
  std::string taken;
  const HttpReply reply = askServer({server.address(), "/", "", std::nullopt}, {}, [&taken](std::string_view piece) {
    taken += piece;
    return taken.size() < 10 ? std::string() : std::string("enough");
  });
  CHECK(reply.problem == "enough");
  CHECK(reply.status == 200);
  CHECK(reply.body.empty());
  CHECK(taken.starts_with("xyzxyz"));
}

Result<std::string> getPage(const GetTarget& target, const HttpLimits& limits) {
  std::string body;
  const std::string problem = readPage(target, limits, [&body](std::string_view piece) {
    body += piece;
    return std::string();
  });
  return problem.empty() ? Result<std::string>(body) : Result<std::string>::failure(problem);
}

void addPaths(HttpServer& server) {
  server.get("/x", [](const HttpRequest&) { return HttpAnswer{"text/plain", "the page"}; });
  server.get("/long", [](const HttpRequest&) { return HttpAnswer{"text/plain", std::string(size_t{3} << 20U, 'x')}; });
  server.get("/slow", [](const HttpRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    return HttpAnswer{"text/plain", "late"};
  });
}

TEST_CASE("a page is read; without it there is the reason") {
  const RunningServer running(addPaths);
  const GetTarget target{running.address(), "/x", ""};
  CHECK(*getPage(target, {}) == "the page");
  CHECK(has(getPage({running.address(), "/nowhere", ""}, {}).error(), "status 404"));
  CHECK(has(getPage({{"127.0.0.1", 1}, "/x", ""}, {}).error(), "no connection"));
}

TEST_CASE("a token is sent, and missing or wrong ones are distinguished") {
  const RunningServer running(addPaths, {.token = "0123456789abcdef"});
  CHECK(*getPage({running.address(), "/x", "0123456789abcdef"}, {}) == "the page");
  CHECK(has(getPage({running.address(), "/x", ""}, {}).error(), "add --token-file"));
  CHECK(has(getPage({running.address(), "/x", "another-token-1234"}, {}).error(), "refuses the token"));
}

TEST_CASE("an answer that is too long or too late ends") {
  const RunningServer running(addPaths);
  HttpLimits limits;
  limits.bytes = 1U << 20U;
  CHECK(has(getPage({running.address(), "/long", ""}, limits).error(), "longer than 1 MiB"));
  limits.answer = std::chrono::milliseconds(100);
  CHECK(has(getPage({running.address(), "/slow", ""}, limits).error(), "no complete answer within 0.1 s"));
}

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
