// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/markup.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("markdownText escapes all markup") {
  CHECK(markdownText("a_b*c`d|e<f>@g[h]#1") == "a\\_b\\*c\\`d\\|e&lt;f>&#64;g\\[h\\]\\#1");
  CHECK(markdownText("+1 call: 3.5 %") == "+1 call: 3.5 %");
}

TEST_CASE("xmlText escapes text and attributes") {
  CHECK(xmlText("<a b=\"&\">") == "&lt;a b=&quot;&amp;&quot;&gt;");
}

TEST_CASE("a workflow command of GitHub keeps its text, on one line") {
  CHECK(workflowMessage("5 %: a, b\r\nc") == "5 %25: a, b%0D%0Ac");
  CHECK(workflowProperty("5 %: a, b\r\nc") == "5 %25%3A a%2C b%0D%0Ac");
}

TEST_CASE("roffText escapes requests and escape sequences") {
  CHECK(roffText(".TH x") == "\\&.TH x");
  CHECK(roffText("'x' `y` \\n --z") == "\\&\\(aqx\\(aq \\(gay\\(ga \\en \\-\\-z");
}

} // namespace
} // namespace commtap
