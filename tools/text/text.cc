// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
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

struct CodePoint {
  char32_t value = 0;
  size_t size = 0; ///< bytes; 0 for invalid UTF-8
};

/// Returns the first code point of `text`, which must not be empty.
CodePoint decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) {
    return {};
  }
  char32_t value = lead & (0x7fU >> size);
  for (size_t i = 1; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80) {
      return {};
    }
    value = value << 6U | (byte & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < kSmallest[size] || value > 0x10ffff || surrogate ? CodePoint{} : CodePoint{value, size};
}

/// Returns whether `c` controls a terminal, changes the direction of the surrounding text or is invisible.
bool isActive(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool separator = c == 0x2028 || c == 0x2029;
  const bool direction =
      c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool invisible = c == 0xfeff || (c >= 0x206a && c <= 0x206f);
  return control || separator || direction || invisible;
}

/// Returns three significant digits, even if rounding reaches the next power of ten. Uses fewer for an exact whole
/// number.
std::string threeDigits(double value, bool may_be_exact) {
  const int decimals = may_be_exact && value == std::floor(value) ? 0 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

} // namespace

std::string inert(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const size_t size = point.size == 0 ? 1 : point.size;
    if (point.size == 0 || (point.size == 1 && isActive(point.value))) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (isActive(point.value)) {
      safe += fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(point.value));
    } else {
      safe += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return safe;
}

size_t displayWidth(std::string_view text) {
  size_t width = 0;
  for (const char c : text) {
    width += (static_cast<unsigned char>(c) & 0xc0U) != 0x80 ? 1 : 0;
  }
  return width;
}

std::string labelledModule(std::string_view module, std::string_view label) {
  return inert(module) + (label.empty() ? "" : " [" + inert(label) + "]");
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

std::string humanBytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return threeDigits(bytes, unit == 0) + " " + kUnits[unit];
}

std::string humanDuration(double ns) {
  struct Unit {
    const char* name;
    double next; ///< number of these units in one of the next unit
  };
  constexpr std::array<Unit, 6> kUnits = {{{"ns", 1000}, {"us", 1000}, {"ms", 1000}, {"s", 60}, {"min", 60}, {"h", 0}}};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && ns >= kUnits[unit].next) {
    ns /= kUnits[unit].next;
    ++unit;
  }
  return threeDigits(ns, unit == 0) + " " + kUnits[unit].name;
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

} // namespace commtap
