// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Returns true if arrays and objects of a JSON text are nested more than 100 deep, which no document of commtap is.
/// nlohmann_json writes a value by recursion, so such a text could end the process.
bool nestsTooDeeply(std::string_view text);

/// Returns about how many bytes a JSON reader takes for `text` beyond the text: `each` per value or name that it may
/// hold. A text of a few bytes per value takes many times its size.
inline constexpr uint64_t kJsonTree = 96; ///< nlohmann_json, the costliest value: a list in a list
uint64_t jsonMemory(std::string_view text, uint64_t each = kJsonTree);

/// Converts between lists and the small JSON texts that the ledger keeps as strings. The readers accept any text and
/// return an empty list if it is not such a JSON list.
std::string stringsToJson(const std::vector<std::string>& strings);
std::vector<std::string> stringsFromJson(std::string_view text);
std::vector<int64_t> integersFromJson(std::string_view text);

} // namespace commtap
