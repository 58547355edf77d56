// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/fast_nccl_json.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

Nccl read(const std::string& text) {
  simdjson::dom::parser parser;
  return fastNcclFrom(parser.parse(text).get_object());
}

constexpr const char* kCall =
    R"("communicator": 7, "op": null, "group": null, "module": "Net", "phase": "backward", "dtype": "int8",)"
    R"("in_group": true, "source": "call", "failed": 1, "bytes": 8)";

std::string sectionWith(const std::string& call) {
  return R"({"version": null, "communicators": [{"size": 2, "rank": null, "group": "0"}], "calls": [{)" + call + "}]}";
}

TEST_CASE("what is not known is none, what is not added up is left out") {
  const Nccl nccl = read(sectionWith(std::string(R"("function": "ncclSend", "count": 3,)") + kCall));
  CHECK(nccl.version.empty());
  CHECK(nccl.communicators == std::vector<NcclCommunicator>{{2, std::nullopt, "0"}});
  REQUIRE(nccl.calls.size() == 1);
  const NcclCall& call = nccl.calls[0];
  CHECK(call.function == "ncclSend");
  CHECK(call.op.empty());
  CHECK(call.module == "Net");
  CHECK(call.phase == Phase::kBackward);
  CHECK(call.dtype == "int8");
  CHECK(call.count == 3);
  CHECK(call.failed == 1);
  CHECK(call.bytes == 8);
  CHECK_FALSE(call.communicator);
}

TEST_CASE("what is missing or of another type is left to the other reader") {
  CHECK_THROWS(read("{}"));
  CHECK_THROWS(read(sectionWith(R"("function": "ncclSend")")));
  CHECK_THROWS(read(sectionWith(std::string(R"("function": "ncclSend", "count": -3,)") + kCall)));
  CHECK_THROWS(read(sectionWith(std::string(R"("function": 1, "count": 3,)") + kCall)));
}

} // namespace
} // namespace commtap
