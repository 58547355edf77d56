// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/http_server.h"

#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

namespace commtap {
namespace {

constexpr size_t kThreads = 4;
constexpr time_t kTimeoutSeconds = 10;
constexpr size_t kMaxRequestBytes = 8192; ///< a GET has no body

constexpr const char* kPolicy = "Content-Security-Policy";

/// Replaces cpp-httplib's default, which lets a second server bind the same port without an error.
void setSocketOptions(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
}

/// Compresses the body here: cpp-httplib uses brotli's highest level, which takes seconds for a page. It does not
/// compress a body from a content provider.
void setBody(std::string body, const std::string& content_type, bool brotli, httplib::Response& response) {
  if (!brotli) {
    response.set_content(body, content_type);
    return;
  }
  const size_t size = body.size();
  response.set_content_provider(
      size, content_type, [body = std::move(body)](size_t offset, size_t length, httplib::DataSink& sink) {
        return sink.write(body.data() + offset, length);
      });
}

void answerWith(const HttpHandler& handler, const httplib::Request& request, httplib::Response& response) {
  HttpAnswer answer = handler({request.get_header_value("Accept"), {request.params.begin(), request.params.end()}});
  response.status = answer.status;
  const bool brotli = request.get_header_value("Accept-Encoding").find("br") != std::string::npos;
  setBody(std::move(answer.body), answer.content_type, brotli, response);
  if (!answer.policy.empty()) {
    response.headers.erase(kPolicy); // a browser would enforce both policies
    response.set_header(kPolicy, answer.policy);
  }
}

} // namespace

struct HttpServer::Library {
  /// Restores SIGPIPE's disposition: cpp-httplib ignores SIGPIPE in the whole process once a server exists.
  class SigpipeAsFound {
   public:
    SigpipeAsFound() {
      sigaction(SIGPIPE, nullptr, &found_);
    }
    SigpipeAsFound(const SigpipeAsFound&) = delete;
    SigpipeAsFound& operator=(const SigpipeAsFound&) = delete;
    ~SigpipeAsFound() {
      sigaction(SIGPIPE, &found_, nullptr);
    }

   private:
    struct sigaction found_ {};
  };

  SigpipeAsFound sigpipe; ///< constructed before the server
  httplib::Server server;
  std::atomic<bool> ended = false;
};

HttpServer::HttpServer() : library_(std::make_unique<Library>()) {
  httplib::Server& server = library_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); }; // the library deletes it
  server.set_socket_options(setSocketOptions);
  server.set_read_timeout(kTimeoutSeconds);
  server.set_write_timeout(kTimeoutSeconds);
  server.set_payload_max_length(kMaxRequestBytes);
  server.set_default_headers({
      {"X-Content-Type-Options", "nosniff"},
      {kPolicy, "default-src 'none'; style-src 'unsafe-inline'"},
      {"Cache-Control", "no-store"},
  });
}

HttpServer::~HttpServer() = default;

void HttpServer::get(const std::string& path, HttpHandler handler) {
  library_->server.Get(
      path, [handler = std::move(handler)](const httplib::Request& request, httplib::Response& response) {
        answerWith(handler, request, response);
      });
}

Result<ListenAddress> HttpServer::bind(const ListenAddress& address) {
  ListenAddress bound = address;
  errno = 0;
  if (address.port != 0) {
    if (library_->server.bind_to_port(address.host, address.port)) {
      return bound;
    }
  } else if (const int port = library_->server.bind_to_any_port(address.host); port > 0) {
    bound.port = static_cast<uint16_t>(port);
    return bound;
  }
  const std::string reason = errno == 0 ? "no such address" : std::strerror(errno);
  return Result<ListenAddress>::failure(fmt::format("cannot listen on {}: {}", address.text(), reason));
}

void HttpServer::run() {
  library_->server.listen_after_bind();
  library_->ended = true;
}

void HttpServer::stop() {
  // cpp-httplib ignores a stop() that comes before it listens.
  while (!library_->server.is_running() && !library_->ended) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  library_->server.stop();
}

} // namespace commtap
