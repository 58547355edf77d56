// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/markup.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("Markdown has no markup of its own") {
  CHECK(markdownText("a_b*c`d|e<f>@g[h]#1") == "a\\_b\\*c\\`d\\|e&lt;f>&#64;g\\[h\\]\\#1");
  CHECK(markdownText("+1 call: 3.5 %") == "+1 call: 3.5 %");
}

TEST_CASE("XML is escaped for text and attributes") {
  CHECK(xmlText("<a b=\"&\">") == "&lt;a b=&quot;&amp;&quot;&gt;");
}

TEST_CASE("roff has no request and no escape") {
  CHECK(roffText(".TH x") == "\\&.TH x");
  CHECK(roffText("'x' `y` \\n --z") == "\\&\\(aqx\\(aq \\(gay\\(ga \\en \\-\\-z");
}

} // namespace
} // namespace commtap
