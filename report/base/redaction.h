// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// The value of an argument or a variable whose name contains one of these, in any case, is taken for a secret.
inline constexpr std::array<std::string_view, 5> kSecretWords = {"TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"};

/// What stands in a secret's place.
inline constexpr std::string_view kRedacted = "(redacted)";

/// A command line as a report may show it: without the values of "--api-key=...", "--api-key ...", "HF_TOKEN=..." and
/// the password of "https://user:password@host". Reports are read by more people than a job's environment.
std::vector<std::string> withoutSecrets(std::vector<std::string> arguments);

} // namespace commtap
