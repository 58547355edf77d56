// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_server.h"

#include <strings.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <httplib.h>

#include "tools/cli/host_port.h"

namespace commtap {
namespace {

constexpr std::string_view kScheme = "Bearer ";

/// Returns the host of "NAME", "NAME:PORT" or "[IPV6]:PORT".
std::string_view hostIn(std::string_view header) {
  if (header.starts_with('[')) {
    const size_t end = header.find(']');
    return end == std::string_view::npos ? "" : header.substr(1, end - 1);
  }
  return header.substr(0, header.find(':'));
}

/// Compares in a time that depends on the lengths only, so that answers do not reveal how much of a guess is right.
bool isEqual(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

} // namespace

int HttpAccess::statusFor(const std::string& host, const std::string& authorization) const {
  constexpr int kOk = 200;
  constexpr int kUnauthorized = 401;
  constexpr int kForbidden = 403;
  if (only_loopback_names && !isLoopbackName(hostIn(host))) {
    return kForbidden;
  }
  return token.empty() || isEqual(authorization, std::string(kScheme) + token) ? kOk : kUnauthorized;
}

namespace {

constexpr size_t kMaxBodyBytes = 0; ///< a GET has no body
constexpr int kBacklog = 128;       ///< cpp-httplib's own is 5

constexpr const char* kText = "text/plain";
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

void refuse(int status, httplib::Response& response) {
  response.status = status;
  if (status == 401) {
    response.set_header("WWW-Authenticate", "Bearer");
    response.set_content(
        "this server asks for the token in its --token-file: send \"Authorization: Bearer TOKEN\"\n", kText);
  } else {
    response.set_content("this server answers only to localhost or a loopback address in the header Host\n", kText);
  }
}

/// Removes the Range headers: cpp-httplib would build one part in memory per range, thousands of times the body.
std::string withoutRanges(std::string_view head) {
  constexpr std::string_view kName = "range";
  std::string kept;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size() - 1) + 1);
    const std::string name(line.substr(0, kName.size()));
    if (strcasecmp(name.c_str(), kName.data()) != 0) {
      kept += line;
    }
    head.remove_prefix(line.size());
  }
  return kept;
}

/// Gives cpp-httplib a request that has been read, and sends its answer.
class AnswerStream final : public httplib::Stream {
 public:
  AnswerStream(Connection& connection, std::string head) : connection_(connection), head_(std::move(head)) {}

  bool is_readable() const override {
    return true;
  }
  bool is_writable() const override {
    return true;
  }
  ssize_t read(char* to, size_t size) override {
    const size_t taken = head_.copy(to, size, position_);
    position_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* bytes, size_t size) override {
    return connection_.send({bytes, size}) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  socket_t socket() const override {
    return connection_.socket();
  }

 private:
  Connection& connection_;
  std::string head_;
  size_t position_ = 0;
};

/// Runs tasks in the thread that accepts connections: a task only starts the connection's own thread.
class AcceptQueue final : public httplib::TaskQueue {
 public:
  explicit AcceptQueue(Connections& connections) : connections_(connections) {}

  void enqueue(std::function<void()> task) override {
    task();
  }
  void shutdown() override {
    connections_.endAll();
  }

 private:
  Connections& connections_;
};

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

  /// cpp-httplib's server with connections that have a deadline and a bound.
  class BoundedServer final : public httplib::Server {
   public:
    explicit BoundedServer(const ConnectionLimits& limits) : connections_(limits) {
      new_task_queue = [this] { return new AcceptQueue(connections_); }; // the library deletes it
    }
    void widenBacklog() {
      ::listen(svr_sock_, kBacklog);
    }

   private:
    bool process_and_close_socket(socket_t socket) override {
      connections_.start(socket, [this](Connection& connection) {
        if (const std::optional<std::string> head = connection.readHead()) {
          AnswerStream stream(connection, withoutRanges(*head));
          bool closed = true;
          process_request(stream, /*close_connection=*/true, closed, nullptr);
        }
      });
      return true;
    }

    Connections connections_;
  };

  explicit Library(const ConnectionLimits& limits) : server(limits) {}

  SigpipeAsFound sigpipe; ///< constructed before the server
  BoundedServer server;
  std::atomic<bool> ended = false;
};

HttpServer::HttpServer(const HttpAccess& access, const ConnectionLimits& limits)
    : library_(std::make_unique<Library>(limits)) {
  httplib::Server& server = library_->server;
  server.set_socket_options(setSocketOptions);
  server.set_payload_max_length(kMaxBodyBytes);
  server.set_default_headers({
      {"X-Content-Type-Options", "nosniff"},
      {kPolicy, "default-src 'none'; style-src 'unsafe-inline'"},
      {"Cache-Control", "no-store"},
  });
  server.set_pre_routing_handler([access](const httplib::Request& request, httplib::Response& response) {
    const int status = access.statusFor(request.get_header_value("Host"), request.get_header_value("Authorization"));
    if (status == 200) {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    refuse(status, response);
    return httplib::Server::HandlerResponse::Handled;
  });
}

HttpServer::~HttpServer() = default;

void HttpServer::get(const std::string& path, HttpHandler handler) {
  library_->server.Get(
      path, [handler = std::move(handler)](const httplib::Request& request, httplib::Response& response) {
        answerWith(handler, request, response);
      });
}

Result<HostPort> HttpServer::bind(const HostPort& address) {
  Library::BoundedServer& server = library_->server;
  errno = 0;
  const int port = address.port == 0                                 ? server.bind_to_any_port(address.host)
                   : server.bind_to_port(address.host, address.port) ? address.port
                                                                     : -1;
  if (port > 0) {
    server.widenBacklog();
    return HostPort{address.host, static_cast<uint16_t>(port)};
  }
  const std::string reason = errno == 0 ? "no such address" : std::strerror(errno);
  return Result<HostPort>::failure(fmt::format("cannot listen on {}: {}", address.text(), reason));
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
