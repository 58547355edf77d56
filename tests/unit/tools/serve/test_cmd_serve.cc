// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("serve reports wrong usage in one line and exits with 2") {
  for (const Words& arguments :
       {Words{"serve"},
        {"serve", "x", "--listen", "9464"},
        {"serve", "x", "--keep", "-1"},
        {"serve", "x", "--max-series", "0"},
        {"serve", "x", "--listen", "0.0.0.0:0"},
        {"serve", "x", "--token-file", "/dev/null"},
        {"serve", "x", "y"}}) {
    const Outcome outcome = runCommtap(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.err.find("commtap: ") == 0);
    CHECK(outcome.err.find('\n') == outcome.err.size() - 1);
  }
}

TEST_CASE("serve exits with 0 on SIGTERM; it warns about a missing folder and a public address") {
  const TempFolder folder;
  const std::string command = std::string(COMMTAP_EXE) +
                              " serve none --listen 0.0.0.0:0 --insecure 2>said & until grep -qs reach said; do sleep "
                              "0.1; done; kill $!; wait $!; "
                              "status=$?; cat said >&2; exit $status";
  const Outcome outcome = runProgram({"/bin/sh", "-c", command}, {}, folder.path());
  CHECK(outcome.status() == 0);
  CHECK(outcome.err.find("commtap: none at http://0.0.0.0:") == 0);
  CHECK(outcome.err.find("/metrics (the folder does not exist yet)\n") != std::string::npos);
  CHECK(outcome.err.find("commtap: other machines can reach this address") != std::string::npos);
}

TEST_CASE("an address beyond loopback needs a token or --insecure") {
  const Outcome outcome = runCommtap({"serve", "x", "--listen", "[::]:0"});
  CHECK(outcome.status() == 2);
  CHECK(
      outcome.err ==
      "commtap: --listen [::]:0: other machines can reach this address: add --token-file FILE, or --insecure to "
      "answer all\n");
}

} // namespace
} // namespace commtap
