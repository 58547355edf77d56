// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// An argument or variable whose name contains one of these words, in upper or lower case, is treated as a secret.
inline constexpr std::array<std::string_view, 5> kSecretWords = {"TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"};

/// Replaces the value of a secret.
inline constexpr std::string_view kRedacted = "(redacted)";

/// Returns a command line that a report may show. Redacts the values of "--api-key=...", "--api-key ..." and
/// "HF_TOKEN=...", and the password of "https://user:password@host". More people read a report than can read the job's
/// environment.
std::vector<std::string> withoutSecrets(std::vector<std::string> arguments);

} // namespace commtap
