// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/hosts_view.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

std::string textOf(const Result<std::vector<HostPort>>& hosts) {
  if (!hosts) {
    return hosts.error();
  }
  std::string names;
  for (const HostPort& host : *hosts) {
    names += (names.empty() ? "" : " ") + host.text();
  }
  return names;
}

TEST_CASE("a list of hosts has a port each, and each host once") {
  CHECK(textOf(hostsFromList("a:1,b.example:9464,[::1]:2,a:1")) == "a:1 b.example:9464 [::1]:2");
  for (const char* wrong : {"a", "a:", "a:0", "a:65536", ":1", "a:1,", "a:x", "a/b:1", "::1:2", ""}) {
    CAPTURE(wrong);
    CHECK(has(hostsFromList(wrong).error(), "is not HOST:PORT"));
  }
}

TEST_CASE("a path that exists is no list of hosts") {
  CHECK(isHostList("node1:9464,node2:9464"));
  CHECK_FALSE(isHostList("out"));
  CHECK_FALSE(isHostList("/tmp/out:9464"));
  const TempFolder folder;
  writeText(folder / "a:1", "");
  CHECK_FALSE(isHostList(folder / "a:1"));
}

TEST_CASE("a node list of Slurm is expanded as scontrol show hostnames does") {
  CHECK(textOf(hostsFromNodeList("login", 1)) == "login:1");
  CHECK(textOf(hostsFromNodeList("gpu[1-3],login", 7)) == "gpu1:7 gpu2:7 gpu3:7 login:7");
  CHECK(textOf(hostsFromNodeList("gpu[008-010,7]", 7)) == "gpu008:7 gpu009:7 gpu010:7 gpu7:7");
  CHECK(textOf(hostsFromNodeList("r[1-2]n[1-2]-ib", 7)) == "r1n1-ib:7 r1n2-ib:7 r2n1-ib:7 r2n2-ib:7");
  for (const char* wrong : {"", "gpu[", "gpu[]", "gpu[3-1]", "gpu[a]", "a,,b", "gpu[1-99999999]", "gpu[1-2"}) {
    CAPTURE(wrong);
    CHECK(has(hostsFromNodeList(wrong, 1).error(), "is not a node list"));
  }
}

TEST_CASE("a name is resolved to its addresses") {
  const std::string names = textOf(hostsFromName("127.0.0.1", 9464));
  CHECK(names == "127.0.0.1:9464");
  CHECK(has(hostsFromName("no.such.name.invalid", 1).error(), "no.such.name.invalid: "));
}

} // namespace
} // namespace commtap
