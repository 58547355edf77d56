// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/html/html_page.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the page's data is alone in its element") {
  const std::string page = htmlPage("{\"a\":1}");
  CHECK(page.starts_with("<!doctype html>\n"));
  CHECK(page.ends_with("</html>\n"));
  CHECK(page.find("<script type=\"application/json\" id=\"report\">{\"a\":1}</script>") != std::string::npos);
}

TEST_CASE("the page has no placeholders left and fetches nothing") {
  const std::string page = htmlPage("");
  for (const char* place :
       {"@DATA@", "@CSP@", "@CONNECT@", "@STYLE@", "@SCRIPT@", "@ECHARTS@", " src=", "@import", "url("}) {
    CAPTURE(place);
    CHECK(page.substr(0, page.find("<script>")).find(place) == std::string::npos);
    CHECK(page.substr(page.find("<script type=\"module\">")).find(place) == std::string::npos);
  }
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
}

TEST_CASE("the live page has no data and may connect only to its server; the other page may not connect") {
  CHECK(livePage().find("<script type=\"application/json\" id=\"report\">null</script>") != std::string::npos);
  CHECK(livePage().find("; connect-src 'self'\">") != std::string::npos);
  CHECK(htmlPage("").find("connect-src '") == std::string::npos);
}

TEST_CASE("the page includes the licences of its libraries") {
  CHECK(htmlPage("").find("Licensed to the Apache Software Foundation") != std::string::npos);
}

} // namespace
} // namespace commtap
