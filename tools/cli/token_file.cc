// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/token_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/base/text_file.h"

namespace commtap {
namespace {

constexpr size_t kMinTokenLength = 16;

} // namespace

Result<std::string> readTokenFile(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text) {
    return text;
  }
  std::string token = text->substr(0, text->find_first_of("\r\n"));
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (!plain || token.size() < kMinTokenLength) {
    return Result<std::string>::failure(fmt::format(
        "{}: a token is at least {} printable ASCII characters without spaces, in the first line",
        path,
        kMinTokenLength));
  }
  return token;
}

} // namespace commtap
