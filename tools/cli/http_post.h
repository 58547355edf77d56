// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

namespace commtap {

/// How a server answered a POST.
struct PostAnswer {
  int status = 0;   ///< HTTP's; 0: there was no answer
  std::string body; ///< or the reason why there was no answer
};

/// Sends `json` to a URL for which urlProblem() is "". Waits at most `limit` for a connection and as long for the
/// answer. Follows redirections.
PostAnswer postJson(const std::string& url, const std::string& json, std::chrono::seconds limit);

/// Returns "" for a URL that postJson() takes, else what was expected.
std::string urlProblem(const std::string& url);

} // namespace commtap
