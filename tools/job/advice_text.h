// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/advice/advice.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns what is at stake: "2 calls and 4.00 MiB per rank and step, group dp"; "" for advice without rows.
std::string stakeText(const Advice& advice, const JobReport& job);

/// Formats advice for the terminal: one paragraph each, with the rows that prove it.
std::string adviceText(const std::vector<Advice>& advice, const JobReport& job, const Color& color);

/// Formats advice as one JSON document: `commtap.advise/1`.
std::string adviceJson(const std::vector<Advice>& advice, const JobReport& job);

} // namespace commtap
