// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// Escapes inert text for Markdown: it cannot form emphasis, HTML, a table border, a mention or a link.
std::string markdownText(std::string_view text);

/// Escapes inert text for XML content and attributes.
std::string xmlText(std::string_view text);

/// A test case of a JUnit document.
struct JunitCase {
  std::string name;
  std::string message = {}; ///< of its failure; "" if it passed
  std::string text = {};
};
std::string junitDocument(const std::string& suite, const std::string& class_name, const std::vector<JunitCase>& all);

/// Escapes the message of a workflow command of GitHub Actions: "::error::MESSAGE".
std::string workflowMessage(std::string_view text);

/// Escapes a property of such a command: "::error title=PROPERTY::".
std::string workflowProperty(std::string_view text);

/// Escapes a line of text for a manual page, so that it forms no roff request or escape.
std::string roffText(std::string_view text);

} // namespace commtap
