// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/samples.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "report/base/process.h"
#include "report/ledger_reader/ledger_reader.h"

namespace commtap {
namespace {

constexpr uint64_t kSampleStart = 1'800'000'000'000'000'000; ///< ns since 1970

void fillHeader(LedgerWriter& ledger, int64_t rank) {
  LedgerHeader& head = ledger.header();
  head.pid = 1000 + static_cast<uint64_t>(rank);
  head.started_at_ns = kSampleStart + static_cast<uint64_t>(rank);
  head.ended_at_ns = kSampleStart + 2'000'000'000;
  head.exit = static_cast<uint32_t>(ExitKind::kNormal);
  head.rank = rank;
  head.world_size = 4;
  head.local_rank = rank;
  head.run_id = ledger.intern("sample-run");
  head.host = ledger.intern("node1");
  head.boot_id = ledger.intern(bootId());
  head.argv = ledger.intern(R"(["python","train.py"])");
  head.torch_version = ledger.intern("2.13.0");
  head.python_version = ledger.intern("3.11.2");
  head.commtap_version = ledger.intern("0.1.0");
  head.report_name = ledger.intern("rank-0000" + std::to_string(rank));
}

CollectiveKey keyOf(LedgerWriter& ledger, uint32_t module, std::string_view op, Kind kind, Phase phase) {
  CollectiveKey key{};
  key.module = key.issued_in = module;
  key.op = ledger.intern(op);
  key.dtype = ledger.intern("float32");
  key.kind = kind;
  key.phase = phase;
  return key;
}

} // namespace

TempFolder::TempFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "commtap-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void writeText(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  REQUIRE(file.good());
}

std::string readText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string> namesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void countOne(LedgerWriter& ledger, CollectiveKey key, uint64_t bytes) {
  key.size_class = sizeClass(bytes);
  LedgerCollective* row = ledger.row(key);
  REQUIRE(row != nullptr);
  ledger.count(*row, {1, bytes});
  const uint64_t sequence = ledger.nextSequence(key.group, isPointToPoint(key.kind));
  if (!isPointToPoint(key.kind)) {
    ledger.addToSequence(key.group, sequence, {.what = sequenceHashOf(ledger.text(key.op)), .bytes = bytes});
  }
  ledger.noteLast(ledger.numberOf(row), sequence, bytes, -1, bytes);
}

std::unique_ptr<LedgerWriter> sampleLedger(int64_t rank) {
  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create();
  REQUIRE(ledger);
  fillHeader(*ledger, rank);
  constexpr std::array<uint32_t, 4> kRanks = {0, 1, 2, 3};
  const uint32_t group = ledger->addGroup("0", "default_pg", "gloo", 4, static_cast<uint32_t>(rank), kRanks);
  const uint32_t wrapper = ledger->addModule(kGlobalModule, "DistributedDataParallel", "DistributedDataParallel", 0);
  const uint32_t model = ledger->addModule(wrapper, "module", "MLP", kModuleWrapperComponent);
  const uint32_t net1 = ledger->addModule(model, "net1", "Linear", 0);
  const uint32_t net2 = ledger->addModule(model, "net2", "Linear", 0);
  for (const uint32_t module : {wrapper, model, net1, net2}) {
    ledger->countModuleCall(module, Phase::kForward);
  }
  ledger->addParameter(net1, {"weight", "[16,10]", "[4,10]", "float32", R"({"tp":4})", R"j(["Shard(0)"])j", true});
  ledger->addParameter(net1, {"bias", "[16]", "[16]", "float32", "", "", true});
  CollectiveKey reduce = keyOf(*ledger, model, "c10d.allreduce_", Kind::kAllReduce, Phase::kBackward);
  reduce.group = group;
  reduce.reduce_op = ledger->intern("sum");
  reduce.async_op = AsyncOp::kYes;
  reduce.size_class = sizeClass(320);
  reduce.compiled = 1;
  countOne(*ledger, reduce, 320);
  ledger->row(reduce)->lowered[0] = ledger->intern("c10d.allreduce_coalesced_");
  CollectiveKey broadcast = keyOf(*ledger, kGlobalModule, "c10d.broadcast_", Kind::kBroadcast, Phase::kOther);
  broadcast.group = group;
  countOne(*ledger, broadcast, 64);
  CollectiveKey gather =
      keyOf(*ledger, net1, "_c10d_functional.all_gather_into_tensor", Kind::kAllGather, Phase::kForward);
  gather.group = group;
  countOne(*ledger, gather, 1024);
  countOne(*ledger, gather, 1024);
  return ledger;
}

Report sampleReport(int64_t rank) {
  Result<LedgerContents> contents = readLedger(sampleLedger(rank)->bytes());
  REQUIRE(contents);
  return contents->report;
}

NcclCall sampleNcclCall(const char* function, const char* op, const char* module, uint64_t count, uint64_t bytes) {
  NcclCall made;
  made.function = function;
  made.op = op;
  made.group = made.op.empty() ? "" : "0";
  made.module = module;
  made.phase = Phase::kForward;
  made.count = count;
  made.bytes = bytes;
  return made;
}

} // namespace commtap
