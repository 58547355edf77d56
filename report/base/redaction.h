// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// The words that make a name a secret's. A name is that of an option, variable, HTTP header, JSON key or parameter. It
/// is split at "-", "_", "." and before capitals; case does not count. Two adjacent words match joined ("pass-word").
inline constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"apikey",      "apikeys", "auth", "authorization", "bearer",     "cookie", "cookies",   "credential",
     "credentials", "jwt",     "key",  "pass",          "passphrase", "passwd", "password",  "passwords",
     "pw",          "pwd",     "sas",  "secret",        "secrets",    "sig",    "signature", "token"});

/// A word with one of these endings matches too: "hftoken", "PGPASS".
inline constexpr auto kSecretEndings =
    std::to_array<std::string_view>({"apikey", "pass", "passphrase", "passwd", "password", "pwd", "secret", "token"});

/// A name that ends in one of these words describes a secret and does not hold it: "--token-file", "key_size".
inline constexpr auto kHarmlessEndings =
    std::to_array<std::string_view>({"count", "dim", "dir", "file", "heads", "len", "length", "limit", "path", "size"});

/// The beginnings of well-known tokens. One of them, with at least kMinShapeLength letters or digits behind it, is a
/// secret wherever it stands. After a "-" at its end, "-" and "_" count as letters.
inline constexpr auto kSecretShapes = std::to_array<std::string_view>(
    {"AIza", "AKIA", "ASIA",   "eyJ",   "gho_", "ghp_",     "ghr_",  "ghs_",  "ghu_",  "github_pat_", "glpat-",
     "hf_",  "npm_", "nvapi-", "pypi-", "sk-",  "sk_live_", "xoxa-", "xoxb-", "xoxp-", "xoxr-",       "xoxs-"});
inline constexpr size_t kMinShapeLength = 16;

/// Returns a command line that a report may show: secrets are redacted by their names and by their shapes, and so are
/// passwords in addresses and what follows "-p". More people read a report than can read the job's environment.
std::vector<std::string> withoutSecrets(std::vector<std::string> arguments);

/// Makes text of any origin safe for a terminal: control characters, direction marks and invalid UTF-8 become \x1b,
/// \u{202e}. Every message of the command and of the tracker goes through it; the stub has commtap_say().
std::string inert(std::string_view text);

} // namespace commtap
