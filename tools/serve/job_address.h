// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tools/serve/live_jobs.h"

namespace commtap {

/// Returns the address of a job's page in `commtap serve`, relative to `/`. Encodes any run ID.
std::string jobAddress(const AttemptKey& key);

/// Parses the parameters of an address that jobAddress() returned; nullopt if they name no attempt.
std::optional<AttemptKey> attemptFrom(const std::map<std::string, std::string>& parameters);

} // namespace commtap
