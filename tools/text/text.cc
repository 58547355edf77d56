// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/text.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "report/model/saturating.h"

namespace commtap {
namespace {

struct SignalName {
  int number;
  std::string_view name;
};

/// glibc has a function for these names since 2.32 only.
constexpr std::array kSignals = {
    SignalName{SIGHUP, "SIGHUP"},       SignalName{SIGINT, "SIGINT"},       SignalName{SIGQUIT, "SIGQUIT"},
    SignalName{SIGILL, "SIGILL"},       SignalName{SIGTRAP, "SIGTRAP"},     SignalName{SIGABRT, "SIGABRT"},
    SignalName{SIGBUS, "SIGBUS"},       SignalName{SIGFPE, "SIGFPE"},       SignalName{SIGKILL, "SIGKILL"},
    SignalName{SIGUSR1, "SIGUSR1"},     SignalName{SIGSEGV, "SIGSEGV"},     SignalName{SIGUSR2, "SIGUSR2"},
    SignalName{SIGPIPE, "SIGPIPE"},     SignalName{SIGALRM, "SIGALRM"},     SignalName{SIGTERM, "SIGTERM"},
    SignalName{SIGSTKFLT, "SIGSTKFLT"}, SignalName{SIGCHLD, "SIGCHLD"},     SignalName{SIGCONT, "SIGCONT"},
    SignalName{SIGSTOP, "SIGSTOP"},     SignalName{SIGTSTP, "SIGTSTP"},     SignalName{SIGTTIN, "SIGTTIN"},
    SignalName{SIGTTOU, "SIGTTOU"},     SignalName{SIGURG, "SIGURG"},       SignalName{SIGXCPU, "SIGXCPU"},
    SignalName{SIGXFSZ, "SIGXFSZ"},     SignalName{SIGVTALRM, "SIGVTALRM"}, SignalName{SIGPROF, "SIGPROF"},
    SignalName{SIGWINCH, "SIGWINCH"},   SignalName{SIGIO, "SIGIO"},         SignalName{SIGPWR, "SIGPWR"},
    SignalName{SIGSYS, "SIGSYS"},
};

} // namespace

size_t displayWidth(std::string_view text) {
  size_t width = 0;
  for (const char c : text) {
    width += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
  }
  return width;
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  const std::string plural = many.empty() ? std::string(one) + "s" : std::string(many);
  return fmt::format("{} {}", count, count == 1 ? one : plural);
}

std::string labelText(std::string_view label, bool setup) {
  return inert(label) + (label.empty() || !setup ? "" : " ") + (setup ? "(set-up)" : "");
}

std::string labelledModule(std::string_view module, std::string_view label, bool setup) {
  return inert(module) + (label.empty() ? "" : " [" + inert(label) + "]") + (setup ? " (set-up)" : "");
}

std::string shellWord(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) {
    return text;
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word + "'";
}

std::string pathWord(const std::string& path) {
  return inert(shellWord(path));
}

std::string shorten(const std::string& text, size_t columns) {
  if (displayWidth(text) <= columns || columns < 5) {
    return text;
  }
  const size_t head = (columns - 3) / 2;
  const size_t tail_start = displayWidth(text) - (columns - 3 - head);
  std::string left;
  std::string right;
  size_t column = 0;
  for (const char c : text) {
    column += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
    if (column <= head) {
      left += c;
    } else if (column > tail_start) {
      right += c;
    }
  }
  return left + "..." + right;
}

std::string stepRange(uint64_t first_step, uint64_t steps) {
  uint64_t last_step = first_step;
  addSaturating(last_step, std::max<uint64_t>(steps, 1) - 1);
  return steps > 1 ? fmt::format("{}-{}", first_step, last_step) : std::to_string(first_step);
}

std::string signalName(int number) {
  const auto* known = std::find_if(
      kSignals.begin(), kSignals.end(), [number](const SignalName& signal) { return signal.number == number; });
  return known != kSignals.end() ? std::string(known->name) : fmt::format("signal {}", number);
}

namespace {

/// Returns the size in bytes of what stands at `at`: an escape sequence that sets a colour, or a character.
size_t sizeAt(std::string_view text, size_t at) {
  if (text[at] == '\x1b') {
    return std::min(text.find('m', at), text.size() - 1) - at + 1;
  }
  size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80) {
    ++end;
  }
  return end - at;
}

} // namespace

size_t fittingSize(std::string_view line, size_t columns) {
  size_t used = 0;
  size_t at = 0;
  while (at < line.size()) {
    used += line[at] == '\x1b' ? 0 : 1;
    if (used > columns) {
      return at;
    }
    at += sizeAt(line, at);
  }
  return at;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string wrapped(std::string_view text, size_t columns, std::string_view further) {
  std::string result;
  for (std::string_view line : linesOf(text)) {
    std::string_view indent;
    while (fittingSize(line, columns - indent.size()) < line.size()) {
      const size_t most = fittingSize(line, columns - indent.size());
      const size_t space = line.substr(0, most + 1).rfind(' ');
      const bool at_space = space != std::string_view::npos && line.find_first_not_of(' ') < space;
      const size_t size = at_space ? space : most;
      result.append(indent).append(line.substr(0, size)).append("\n");
      line.remove_prefix(size + (at_space ? 1 : 0));
      indent = columns > 2 * further.size() ? further : "";
    }
    result.append(indent).append(line).append("\n");
  }
  return result;
}

std::string unbroken(std::string text) {
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    if (text[at + 1] == '\n') {
      ++at; // between two paragraphs
    } else {
      text[at] = ' ';
    }
  }
  return text;
}

ScreenSize screenSize(int fd) {
  winsize size{};
  if (isatty(fd) == 0 || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

} // namespace commtap
