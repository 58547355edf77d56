// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <termios.h>

#include <csignal>
#include <string>
#include <string_view>

#include "tools/text/text.h"

namespace commtap {

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

  /// Waits `seconds`. Returns the key that was typed, in lower case: 'q' also if one of the signals came; 0 if none
  /// was.
  char wait(double seconds);

 private:
  bool has_keys_ = false;
  int signal_fd_;
  termios as_found_{};
};

} // namespace commtap
