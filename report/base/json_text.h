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

/// Returns how many values and names `text` may hold at most.
uint64_t mostJsonValues(std::string_view text);

/// Returns about how many bytes nlohmann_json takes for `text` beyond the text: for its values, of which a text of a
/// few bytes each takes many times its size, and for the longest stretch of blanks or of a string, which its lexer
/// keeps in buffers that double as they grow.
uint64_t jsonMemory(std::string_view text);

/// Converts between lists and the small JSON texts that the ledger keeps as strings. The readers accept any text and
/// return an empty list if it is not such a JSON list.
std::string stringsToJson(const std::vector<std::string>& strings);
std::vector<std::string> stringsFromJson(std::string_view text);
std::vector<int64_t> integersFromJson(std::string_view text);

} // namespace commtap
