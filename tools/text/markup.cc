// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/markup.h"

#include <fmt/format.h>

namespace commtap {

namespace {

/// Returns `text` with the characters of `special` as "%25".
std::string percentEncoded(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    escaped += special.find(c) == std::string_view::npos ? std::string(1, c)
                                                         : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

} // namespace

std::string markdownText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '@') {
      escaped += "&#64;"; // avoids a mention
    } else {
      escaped += std::string_view("\\`*_[]|~#!&").find(c) == std::string_view::npos ? "" : "\\";
      escaped += c;
    }
  }
  return escaped;
}

std::string xmlText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string workflowMessage(std::string_view text) {
  return percentEncoded(text, "%\r\n");
}

std::string workflowProperty(std::string_view text) {
  return percentEncoded(text, "%\r\n:,");
}

std::string roffText(std::string_view text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : c == '\'' ? "\\(aq" : c == '`' ? "\\(ga" : std::string(1, c);
  }
  return escaped;
}

} // namespace commtap
