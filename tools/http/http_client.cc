// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/http/http_client.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/http/http_stream.h"
#include "tools/text/text.h"

namespace commtap {

Result<HttpUrl> parseUrl(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  constexpr const char* kDefaultPort = ":80";
  const auto wrong = [&url](const char* expected) {
    return Result<HttpUrl>::failure(fmt::format("{}: expected {}", url, expected));
  };
  if (!url.starts_with(kScheme)) {
    return wrong("a URL that begins with http:// (there is no TLS)");
  }
  if (!std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return wrong("a URL of printable ASCII characters without spaces");
  }
  const std::string rest = url.substr(0, url.find('#')).substr(kScheme.size());
  const size_t path = std::min(rest.find_first_of("/?"), rest.size());
  const std::string host = rest.substr(0, path);
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  Result<HostPort> server = parseHostPort(has_port ? host : host + kDefaultPort);
  if (!server || server->port == 0 || host.find('@') != std::string::npos) {
    return wrong("http://HOST, http://HOST:PORT or http://HOST:PORT/PATH");
  }
  const std::string tail = rest.substr(path);
  return HttpUrl{std::move(*server), tail.starts_with('/') ? tail : "/" + tail};
}

namespace {

constexpr uint64_t kMaxHead = uint64_t{64} << 10U; ///< bytes of status lines and headers
constexpr int kFirstFinal = 200;                   ///< smaller statuses come before the answer's own
constexpr int kFirstOther = 300;                   ///< smaller ones are a success
constexpr int kNoContent = 204;

struct Head {
  int status = 0;
  std::optional<uint64_t> length;
  bool is_chunked = false;
};

std::string requestText(const HttpQuestion& question) {
  std::string text = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: commtap\r\nAccept: */*\r\nConnection: close\r\n",
      question.json ? "POST" : "GET",
      question.path,
      question.server.text());
  if (!question.token.empty()) {
    text += fmt::format("Authorization: Bearer {}\r\n", question.token);
  }
  if (question.json) {
    text += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", question.json->size());
  }
  return text + "\r\n" + question.json.value_or("");
}

std::string lateText(const HttpLimits& limits) {
  return fmt::format("no complete answer within {:g} s", std::chrono::duration<double>(limits.answer).count());
}

[[noreturn]] void failNotHttp() {
  throw HttpProblem("its answer is not HTTP");
}

int statusFrom(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr size_t kStatus = 9; ///< "HTTP/1.1 200 OK"
  constexpr size_t kDigits = 3;
  constexpr int64_t kSmallest = 100;
  if (!line.starts_with(kVersion) || line.size() < kStatus + kDigits) {
    failNotHttp();
  }
  const std::optional<int64_t> status = wholeNumber(line.substr(kStatus, kDigits));
  if (!status || *status < kSmallest) {
    failNotHttp();
  }
  return static_cast<int>(*status);
}

void addHeader(const std::string& line, Head& head) {
  const size_t colon = line.find(':');
  const std::string name = line.substr(0, colon);
  const size_t begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
  const std::string value =
      begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
  if (strcasecmp(name.c_str(), "Content-Length") == 0) {
    const std::optional<int64_t> length = wholeNumber(value);
    if (!length || (head.length && *head.length != static_cast<uint64_t>(*length))) {
      failNotHttp();
    }
    head.length = static_cast<uint64_t>(*length);
  } else if (strcasecmp(name.c_str(), "Transfer-Encoding") == 0) {
    if (strcasecmp(value.c_str(), "chunked") != 0) {
      throw HttpProblem("its answer has an encoding that was not asked for");
    }
    head.is_chunked = true;
  }
}

Head readHead(HttpStream& stream) {
  Head head;
  head.status = statusFrom(stream.line());
  for (std::string line = stream.line(); !line.empty(); line = stream.line()) {
    addHeader(line, head);
  }
  return head;
}

/// Reads `size` bytes of the body, or all up to the end of the stream.
void readBytes(HttpStream& stream, std::optional<uint64_t> size, const BodySink& sink) {
  while (size.value_or(1) > 0) {
    const std::string_view piece = stream.piece(size.value_or(UINT64_MAX));
    if (piece.empty()) {
      if (size) {
        throw HttpProblem("the answer ends early");
      }
      return;
    }
    if (const std::string problem = sink(piece); !problem.empty()) {
      throw HttpProblem(problem);
    }
    if (size) {
      *size -= piece.size();
    }
  }
}

uint64_t chunkSizeFrom(std::string_view line) {
  constexpr int kHexadecimal = 16;
  line = line.substr(0, line.find_first_of("; \t"));
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size, kHexadecimal);
  if (line.empty() || error != std::errc() || end != line.data() + line.size()) {
    failNotHttp();
  }
  return size;
}

void readChunks(HttpStream& stream, const BodySink& sink) {
  while (const uint64_t size = chunkSizeFrom(stream.line())) {
    readBytes(stream, size, sink);
    if (!stream.line().empty()) {
      failNotHttp();
    }
  }
}

void readReply(HttpStream& stream, const HttpLimits& limits, const BodySink& sink, HttpReply& reply) {
  stream.allow(kMaxHead, fmt::format("the answer's headers are longer than {} KiB", kMaxHead >> 10U));
  Head head;
  while (head.status < kFirstFinal) {
    head = readHead(stream);
  }
  reply.status = head.status;
  if (limits.bytes == 0 || head.status == kNoContent || head.status >= kFirstOther) {
    return;
  }
  const std::string too_long = fmt::format("the answer is longer than {} MiB", limits.bytes >> 20U);
  stream.allow(limits.bytes, too_long);
  if (head.is_chunked) {
    readChunks(stream, sink);
  } else if (head.length.value_or(0) > limits.bytes) {
    throw HttpProblem(too_long);
  } else {
    readBytes(stream, head.length, sink);
  }
}

} // namespace

HttpReply askServer(const HttpQuestion& question, const HttpLimits& limits, const BodySink& sink) {
  HttpReply reply;
  const BodySink keep = [&reply](std::string_view piece) {
    reply.body += piece;
    return std::string();
  };
  try {
    const auto now = HttpStream::Clock::now();
    HttpStream stream(question.server, now + limits.connect, now + limits.answer, lateText(limits));
    stream.send(requestText(question));
    readReply(stream, limits, sink ? sink : keep, reply);
  } catch (const std::exception& problem) { // also std::bad_alloc
    reply.problem = problem.what();
  }
  return reply;
}

namespace {

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;

std::string problemOf(const HttpReply& reply, const GetTarget& target) {
  if (reply.status == kUnauthorized) {
    return target.token.empty() ? "it asks for a token: add --token-file" : "it refuses the token";
  }
  return reply.status != 0 && reply.status != kOk ? fmt::format("it answers with status {}", reply.status)
                                                  : reply.problem;
}

} // namespace

std::string readPage(const GetTarget& target, const HttpLimits& limits, const BodySink& sink) {
  return problemOf(askServer({target.server, target.path, target.token, std::nullopt}, limits, sink), target);
}

namespace {

constexpr int kSuccess = 2; ///< the first digit of a status
constexpr int kRedirection = 3;

int firstDigitOf(const HttpReply& reply) {
  constexpr int kHundred = 100;
  return reply.status / kHundred;
}

} // namespace

HttpReply postJson(const std::string& url, const std::string& json, const HttpLimits& limits) {
  const Result<HttpUrl> place = parseUrl(url);
  return place ? askServer({place->server, place->path, "", json}, limits) : HttpReply{0, "", place.error()};
}

bool isTaken(const HttpReply& reply) {
  return firstDigitOf(reply) == kSuccess;
}

std::string statusText(const HttpReply& reply) {
  const char* advice = firstDigitOf(reply) == kRedirection ? ", a redirection: give the address it leads to" : "";
  return fmt::format("answered with status {}{}", reply.status, advice);
}

} // namespace commtap
