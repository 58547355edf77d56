// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include <nlohmann/json.hpp>

#include "report/json/json_cursor.h"
#include "report/model/durations.h"

namespace commtap {

/// How durations and histograms are written in every document: `collective_time` of docs/schema/commtap-1.schema.json.

/// Sizes or durations by powers of two. Throws if a class is no number; the error calls it `of_what`.
std::map<uint64_t, uint64_t> histogramFrom(const JsonCursor& cursor, const char* of_what);

nlohmann::ordered_json timeJson(const CollectiveTime& time);
CollectiveTime timeFrom(const JsonCursor& cursor);

} // namespace commtap
