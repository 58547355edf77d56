// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/screen.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {
namespace {

constexpr std::string_view kColorsOff = "\x1b[0m";

std::string cut(std::string_view line, size_t columns) {
  const size_t size = fittingSize(line, columns);
  const bool has_color = line.find('\x1b') < size;
  return std::string(line.substr(0, size)) + (size < line.size() && has_color ? std::string(kColorsOff) : "");
}

} // namespace

std::string fitted(std::string_view text, const ScreenSize& size) {
  const std::vector<std::string_view> lines = linesOf(text);
  const bool all = lines.size() <= size.lines;
  const size_t shown = all ? lines.size() : size.lines - 1;
  std::string result;
  for (size_t i = 0; i < shown; ++i) {
    result += cut(lines[i], size.columns) + "\n";
  }
  return all ? result : result + cut(fmt::format("... {} more lines", lines.size() - shown), size.columns) + "\n";
}

Keyboard::Keyboard(const sigset_t& end_signals) : signal_fd_(signalfd(-1, &end_signals, SFD_CLOEXEC)) {
  // A background process that changes its terminal is stopped.
  has_keys_ = tcgetattr(STDIN_FILENO, &as_found_) == 0 && tcgetpgrp(STDIN_FILENO) == getpgrp();
  if (has_keys_) {
    termios keys = as_found_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
}

Keyboard::~Keyboard() {
  if (has_keys_) {
    tcsetattr(STDIN_FILENO, TCSANOW, &as_found_);
  }
  close(signal_fd_);
}

char Keyboard::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::array<pollfd, 2> sources = {{{signal_fd_, POLLIN, 0}, {has_keys_ ? STDIN_FILENO : -1, POLLIN, 0}}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (poll(sources.data(), sources.size(), static_cast<int>(std::max<int64_t>(left, 0))) <= 0) {
      return 0;
    }
    if (sources[0].revents != 0) {
      return 'q';
    }
    char key = 0;
    if (read(STDIN_FILENO, &key, 1) != 1) {
      sources[1].fd = -1; // the terminal has gone
    } else {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(key)));
    }
  }
}

} // namespace commtap
