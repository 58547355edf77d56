// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <termios.h>

#include <csignal>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace commtap {

/// The size of a terminal; other outputs have no limits.
struct ScreenSize {
  size_t columns = std::numeric_limits<size_t>::max();
  size_t lines = std::numeric_limits<size_t>::max();
};

/// Returns the size of the terminal at `fd`.
ScreenSize screenSize(int fd);

/// Cuts lines that are too wide and lines that do not fit; the last line then says how many are missing.
std::string fitted(std::string_view text, const ScreenSize& size);

/// Reads single keys from a terminal at stdin, and waits for them and for signals. Restores the terminal at its end.
/// Without a terminal, or in the background, it sees no keys.
class Keyboard {
 public:
  explicit Keyboard(const sigset_t& end_signals);
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard();

  /// Waits `seconds`. Returns false once `q` was typed or one of the signals came.
  bool wait(double seconds);

 private:
  bool has_keys_ = false;
  int signal_fd_;
  termios as_found_{};
};

} // namespace commtap
