// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/hosts/host_arguments.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

HostArguments slurm() {
  HostArguments arguments;
  arguments.slurm = true;
  return arguments;
}

TEST_CASE("folders are no hosts, and hosts are") {
  CHECK_FALSE(hostsFor({}, {"out"})->has_value());
  CHECK(hostsFor({}, {"a:1,b:2"})->has_value());
  CHECK(has(hostsFor({}, {"a:1", "out"}).error(), "is not HOST:PORT"));
  CHECK(has(hostsFor({}, {}).error(), "a folder is missing, or hosts"));
}

TEST_CASE("the nodes of a Slurm job and the pods of a service are hosts") {
  unsetenv("SLURM_JOB_NODELIST");
  CHECK(has(hostsFor(slurm(), {}).error(), "SLURM_JOB_NODELIST is not set"));
  setenv("SLURM_JOB_NODELIST", "gpu[1-2]", 1);
  CHECK(hostsFor(slurm(), {})->has_value());
  unsetenv("SLURM_JOB_NODELIST");
  HostArguments k8s;
  k8s.k8s = "127.0.0.1";
  CHECK(hostsFor(k8s, {})->has_value());
  CHECK(has(hostsFor(slurm(), {"out"}).error(), "leave the folder out"));
}

TEST_CASE("a token file that cannot be read is an error") {
  HostArguments arguments;
  arguments.token_file = "/nowhere";
  CHECK(has(hostsFor(arguments, {"a:1"}).error(), "--token-file: "));
}

} // namespace
} // namespace commtap
