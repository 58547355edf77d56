// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/serve/http_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace commtap {
namespace {

constexpr size_t kMaxHeadBytes = 16384;

/// Waits for `events` until `until`. Returns false once the time is over.
bool waitFor(int socket, short events, std::chrono::steady_clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  pollfd wanted{socket, events, 0};
  const int ready = left.count() <= 0 ? 0 : poll(&wanted, 1, static_cast<int>(left.count()));
  return ready > 0 || (ready < 0 && errno == EINTR);
}

bool mayRetry() {
  return errno == EINTR || errno == EAGAIN;
}

} // namespace

std::optional<std::string> Connection::readHead() {
  const auto until = Clock::now() + limits_.request;
  std::string head;
  char buffer[2048];
  while (head.size() < kMaxHeadBytes && waitFor(socket_, POLLIN, until)) {
    const ssize_t size = recv(socket_, buffer, sizeof(buffer), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && !mayRetry())) {
      return std::nullopt;
    }
    const size_t searched = head.size() < 3 ? 0 : head.size() - 3;
    head.append(buffer, static_cast<size_t>(std::max<ssize_t>(size, 0)));
    if (const size_t end = head.find("\r\n\r\n", searched); end != std::string::npos) {
      head.resize(end + 4);
      reading_ = false;
      return head;
    }
  }
  return std::nullopt;
}

bool Connection::send(std::string_view bytes) {
  if (!answer_until_) {
    answer_until_ = Clock::now() + limits_.answer;
  }
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (size < 0 && (!mayRetry() || !waitFor(socket_, POLLOUT, *answer_until_))) {
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  }
  return true;
}

struct Connections::Open {
  struct Entry {
    Entry(int socket, const ConnectionLimits& limits) : connection(socket, limits) {}

    Connection connection;
    bool ending = false; ///< shut down; its thread has not finished
  };

  explicit Open(const ConnectionLimits& wanted) : limits(wanted) {}

  static void end(Entry& entry) {
    entry.ending = true;
    shutdown(entry.connection.socket(), SHUT_RDWR);
  }

  /// Ends one connection without waiting for its thread. `held` proves that the caller holds `mutex`.
  void endOne(const std::unique_lock<std::mutex>& /*held*/) {
    for (const bool reading : {true, false}) {
      const auto found = std::find_if(entries.begin(), entries.end(), [reading](const Entry& entry) {
        return !entry.ending && entry.connection.isReading() == reading;
      });
      if (found != entries.end()) {
        end(*found);
        return;
      }
    }
  }

  void run(std::list<Entry>::iterator entry, const Answer& answer) {
    try {
      answer(entry->connection);
    } catch (const std::exception&) { // NOLINT(bugprone-empty-catch): out of memory, so this client gets no answer
    }
    const std::lock_guard lock(mutex);
    close(entry->connection.socket());
    entries.erase(entry);
    finished.notify_all();
  }

  ConnectionLimits limits;
  std::mutex mutex;
  std::condition_variable finished;
  std::list<Entry> entries; ///< the oldest first
};

Connections::Connections(const ConnectionLimits& limits) : open_(std::make_shared<Open>(limits)) {}

void Connections::start(int socket, Answer answer) {
  std::unique_lock lock(open_->mutex);
  if (open_->entries.size() >= open_->limits.connections) {
    open_->endOne(lock);
    open_->finished.wait(lock, [this] { return open_->entries.size() < open_->limits.connections; });
  }
  const auto entry = open_->entries.emplace(open_->entries.end(), socket, open_->limits);
  try {
    std::thread([open = open_, entry, answer = std::move(answer)] { open->run(entry, answer); }).detach();
  } catch (const std::system_error&) { // the user's limit of threads is reached
    close(socket);
    open_->entries.erase(entry);
  }
}

void Connections::endAll() {
  std::unique_lock lock(open_->mutex);
  std::for_each(open_->entries.begin(), open_->entries.end(), Open::end);
  open_->finished.wait(lock, [this] { return open_->entries.empty(); });
}

} // namespace commtap
