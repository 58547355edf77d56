// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Small JSON texts that the ledger keeps as strings. Reading accepts anything: what is not such a list gives an
/// empty one.
std::string stringsToJson(const std::vector<std::string>& strings);
std::vector<std::string> stringsFromJson(std::string_view text);
std::vector<int64_t> integersFromJson(std::string_view text);

} // namespace commtap
