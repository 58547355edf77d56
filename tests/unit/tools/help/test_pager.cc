// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/help/pager.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

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
