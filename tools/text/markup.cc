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

std::string junitDocument(const std::string& suite, const std::string& class_name, const std::vector<JunitCase>& all) {
  std::string cases;
  size_t failures = 0;
  for (const JunitCase& each : all) {
    const std::string head =
        fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xmlText(class_name), xmlText(each.name));
    failures += each.message.empty() ? 0 : 1;
    cases += each.message.empty() ? head + "/>\n"
                                  : fmt::format(
                                        "{}>\n      <failure message=\"{}\">\n{}      </failure>\n    </testcase>\n",
                                        head,
                                        xmlText(each.message),
                                        xmlText(each.text));
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\"", all.size(), failures);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n{}"
      "  </testsuite>\n</testsuites>\n",
      counts,
      xmlText(suite),
      counts,
      cases);
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
