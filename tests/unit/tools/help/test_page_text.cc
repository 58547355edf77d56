// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/doc_pages.h"

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("links to pages become commands, others their words or address") {
  const std::vector<std::string> names = {"dashboards", "dashboards/slurm", "timing"};
  const auto text = [&names](const char* markdown) { return pageText(markdown, "dashboards/slurm.md", names); };
  CHECK(
      text("See [time](../timing.md#x), [all](README.md).") ==
      "See time (commtap help timing), all (commtap help dashboards).\n");
  CHECK(text("[here](#below) [code](../../tools/x.cc) [W3](https://w3.org)") == "here code W3 (https://w3.org)\n");
  CHECK(text("a[0] [x] (y) `b[1](c)`").starts_with("a[0] [x] (y)"));
}

TEST_CASE("images and comments are left out, code stays") {
  CHECK(pageText("# T\n\n<!-- made -->\n\n![a](b.png)\n\nx\n", "a.md", {}) == "# T\n\nx\n");
  const char* code = "```sh\n<!-- x -->\n[a](b.md)\n\n\n```\n";
  CHECK(pageText(code, "a.md", {"b"}) == code);
}

TEST_CASE("links are found from left to right") {
  const std::vector<Link> links = linksIn("a [b](c#d) ![e](f)");
  REQUIRE(links.size() == 2);
  CHECK(links[0].text == "b");
  CHECK(links[0].target == "c");
  CHECK(links[0].begin == 2);
  CHECK(links[0].end == 10);
  CHECK(links[1].is_image);
  CHECK(links[1].begin == 11);
  CHECK(linksIn("[a [b](c)").size() == 1);
  CHECK(linksIn("[a](b").empty());
}

TEST_CASE("a pager is used in a terminal only") {
  setenv("PAGER", "my-pager -x", 1);
  CHECK(pagerCommand(false).empty());
  CHECK(pagerCommand(true) == "my-pager -x");
  unsetenv("PAGER");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  CHECK(pagerCommand(true).empty());
  setenv("PATH", path.c_str(), 1);
}

TEST_CASE("the pager gets the text, may end early, and may be missing") {
  const TempFolder folder;
  const std::string text(1'000'000, 'x');
  CHECK(showInPager("cat > " + (folder / "shown"), text));
  CHECK(readText(folder / "shown") == text);
  CHECK(showInPager("true", text));
  CHECK_FALSE(showInPager("no-such-pager 2> /dev/null", text));
}

} // namespace

} // namespace commtap
