// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <string>

namespace commtap {

/// The text of numbers, for terminals; `tools/html/js/text.js` has the same for the page.

/// Returns "96 B", "1.50 KiB" or "12.0 GiB".
std::string humanBytes(double bytes);
template <std::integral Bytes>
std::string humanBytes(Bytes bytes) {
  return humanBytes(static_cast<double>(bytes));
}

/// Returns "850 ns", "1.20 ms", "12.5 s" or "3.40 h".
std::string humanDuration(double ns);

/// Returns a mean of calls: "24", or six significant digits: "2.66667".
std::string countText(double count);

/// Returns "12.3 %", "0.012 %", "250 %", or "<0.001 %" for less.
std::string percentText(double percent);

/// Returns the change of an amount: "+1.7 %", "-30.0 %"; "new" from 0, and "" if there is none.
std::string percentText(double before, double after);

} // namespace commtap
