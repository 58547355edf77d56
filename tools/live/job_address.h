// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tools/live/live_jobs.h"

namespace commtap {

/// Where in `commtap serve` a job's page is, relative to `/`; whatever the run is called, it is a plain address.
std::string jobAddress(const AttemptKey& key);

/// The other way round, from the parameters of such an address; nullopt if they name no attempt.
std::optional<AttemptKey> attemptFrom(const std::map<std::string, std::string>& parameters);

} // namespace commtap
