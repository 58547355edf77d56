// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// The clients that a server answers.
struct HttpAccess {
  /// Refuses names other than this machine's own in the header Host. A web page that has its own name resolve to
  /// 127.0.0.1 (DNS rebinding) could otherwise read the answers in the user's browser.
  bool only_loopback_names = false;
  std::string token{}; ///< refuses requests without "Authorization: Bearer TOKEN"; "" for no token

  /// Returns the status for a request with these two headers: 200 if it may be answered.
  int statusFor(const std::string& host, const std::string& authorization) const;
};

} // namespace commtap
