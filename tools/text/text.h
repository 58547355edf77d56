// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/base/redaction.h"  // IWYU pragma: export
#include "report/job/number_text.h" // IWYU pragma: export

namespace commtap {

/// Returns "1 process" or "2 processes". `many`: "" for `one` with an s.
std::string counted(uint64_t count, std::string_view one, std::string_view many = "");

/// Returns the number of columns of inert text, counting one per code point.
size_t displayWidth(std::string_view text);

inline constexpr size_t kMaxLabel = 50; ///< columns of a module's name in a table

/// Returns a row's label and whether it is set-up, as inert text: "barrier", "(set-up)", "barrier (set-up)" or "".
std::string labelText(std::string_view label, bool setup);

/// Returns the name of a row's module, its label in brackets, and whether it is set-up, as inert text:
/// "Global [clip_grad_norm_]", "Net (set-up)".
std::string labelledModule(std::string_view module, std::string_view label, bool setup);

/// Returns `text` as one word of a shell's input.
std::string shellWord(const std::string& text);

/// Returns a path as a word that a shell takes as it is, as inert text.
std::string pathWord(const std::string& path);

/// Shortens `text` to at most `columns`; replaces its middle by "...".
std::string shorten(const std::string& text, size_t columns);

/// Returns "7" for one step, "16-31" for several merged steps.
std::string stepRange(uint64_t first_step, uint64_t steps);

/// Returns "SIGKILL", or "signal 99" for a number without a name.
std::string signalName(int number);

/// Returns the number that `text` is as a whole, in decimal digits; nullopt for other text, or one beyond 63 bits.
inline std::optional<int64_t> wholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

std::vector<std::string_view> linesOf(std::string_view text);

/// Returns the size in bytes of the longest beginning of `line` that fits into `columns`. Colours take no columns.
size_t fittingSize(std::string_view line, size_t columns);

/// Breaks the lines of `text` at spaces, so that none is wider than `columns`, and begins what follows a break with
/// `indent`. Colours take no columns.
std::string wrapped(std::string_view text, size_t columns, std::string_view indent = "    ");

/// Joins the lines of each paragraph into one.
std::string unbroken(std::string text);

/// The size of a terminal; other outputs have no limits.
struct ScreenSize {
  size_t columns = std::numeric_limits<size_t>::max();
  size_t lines = std::numeric_limits<size_t>::max();
};

/// Returns the size of the terminal at `fd`.
ScreenSize screenSize(int fd);

} // namespace commtap
