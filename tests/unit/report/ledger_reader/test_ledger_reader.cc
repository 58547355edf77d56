// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger_reader/ledger_reader.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "report/base/process.h"
#include "report/json/report_json.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_memory.h"
#include "report/model/work_end.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Bytes = std::vector<std::byte>;

Bytes copyOf(const LedgerWriter& ledger) {
  return {ledger.bytes().begin(), ledger.bytes().end()};
}

LedgerHeader& headerOf(Bytes& bytes) {
  return *reinterpret_cast<LedgerHeader*>(bytes.data());
}

/// Returns the ledger without the unused space between its sections. It is small enough to be copied a thousand times,
/// and a sanitizer detects reads past its end.
Bytes compacted(const LedgerWriter& ledger) {
  Bytes bytes(ledger.bytes().begin(), ledger.bytes().begin() + sizeof(LedgerHeader));
  for (int id = 0; id < kSectionCount; ++id) {
    const LedgerSection& section = headerOf(bytes).sections[id];
    const std::byte* records = ledger.bytes().data() + section.offset;
    const uint64_t used = section.used.load();
    const uint64_t size = usedIn(static_cast<LedgerSectionId>(id), used).value_or(used) * section.record_size;
    bytes.resize((bytes.size() + 7) / 8 * 8);
    headerOf(bytes).sections[id].offset = bytes.size();
    bytes.insert(bytes.end(), records, records + size);
  }
  headerOf(bytes).check = checkOf(headerOf(bytes));
  headerOf(bytes).end_check = checkOfEnd(headerOf(bytes));
  return bytes;
}

TEST_CASE("the reader returns the job and groups that were written") {
  const auto ledger = sampleLedger(2);
  ledger->notSeen(NotSeen::kUnknownOp, "mylib::exchange", 3);
  const auto contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  CHECK(contents->report_name == "rank-00002");
  CHECK(contents->boot_id == bootId());
  const Report& report = contents->report;
  CHECK(report.job.run_id == "sample-run");
  CHECK(report.job.rank == 2);
  CHECK(report.job.world_size == 4);
  CHECK(report.job.host == "node1");
  CHECK(report.job.argv == std::vector<std::string>{"python", "train.py"});
  CHECK(report.job.exit == ExitKind::kNormal);
  CHECK_FALSE(report.job.exit_signal);
  CHECK_FALSE(report.job.exit_status); // the sample does not have it
  REQUIRE(report.groups.size() == 1);
  CHECK(report.groups[0].desc == "default_pg");
  CHECK(report.groups[0].ranks == std::vector<uint32_t>{0, 1, 2, 3});
  REQUIRE(report.not_seen.size() == 1);
  CHECK(report.not_seen[0].reason == "unknown_op");
  CHECK(report.not_seen[0].count == 3);
  CHECK(report.not_seen[0].detail == "mylib::exchange");
}

TEST_CASE("a read collective has names instead of ids, and bus bytes") {
  const Report report = sampleReport(0);
  const auto reduce = std::find_if(report.collectives.begin(), report.collectives.end(), [](const Collective& row) {
    return row.kind == Kind::kAllReduce;
  });
  REQUIRE(reduce != report.collectives.end());
  CHECK(reduce->module == "DistributedDataParallel");
  CHECK(reduce->phase == Phase::kBackward);
  CHECK(reduce->op == "c10d.allreduce_");
  CHECK(reduce->group == "0");
  CHECK(reduce->async_op == AsyncOp::kYes);
  CHECK(reduce->compiled);
  CHECK(reduce->lowered == std::vector<std::string>{"c10d.allreduce_coalesced_"});
  CHECK(reduce->bytes == 320);
  CHECK(reduce->bus_bytes == doctest::Approx(480));
}

LedgerCollective& countOne(LedgerWriter& ledger, uint32_t module, const char* op, uint32_t issued_in, uint64_t bytes) {
  CollectiveKey key{};
  key.module = module;
  key.issued_in = issued_in;
  key.op = ledger.intern(op);
  key.kind = Kind::kAllReduce;
  key.phase = Phase::kForward;
  key.size_class = sizeClass(bytes);
  LedgerCollective& row = *ledger.row(key);
  row.count.fetch_add(1);
  row.bytes.fetch_add(bytes);
  return row;
}

TEST_CASE("rows are sorted by name; rows that differ only in size class or wrapper are merged") {
  const auto ledger = LedgerWriter::create();
  ledger->addGroup("0", "", "gloo", 4, 0, {});
  const uint32_t model = ledger->addModule(kGlobalModule, "Net", "Net", 0);
  const uint32_t wrapper = ledger->addModule(model, "b", "Wrapper", 0);
  const uint32_t inner = ledger->addModule(wrapper, "_orig_mod", "Linear", kModuleWrapperComponent);
  const uint32_t first = ledger->addModule(model, "a", "Linear", 0);
  countOne(*ledger, inner, "sum", inner, 8).lowered[0] = ledger->intern("x");
  countOne(*ledger, wrapper, "sum", wrapper, 64).lowered[0] = ledger->intern("y");
  countOne(*ledger, wrapper, "max", wrapper, 8);
  countOne(*ledger, inner, "sum", first, 8);
  countOne(*ledger, first, "sum", first, 8);
  const std::vector<Collective> rows = readLedger(ledger->bytes())->report.collectives;
  std::vector<std::vector<std::string>> read;
  read.reserve(rows.size());
  for (const Collective& row : rows) {
    read.push_back({row.module, row.op, row.issued_in, std::to_string(row.count)});
  }
  CHECK(
      read == std::vector<std::vector<std::string>>{
                  {"Net.a", "sum", "Net.a", "1"},
                  {"Net.b", "max", "Net.b", "1"},
                  {"Net.b", "sum", "Net.a", "1"},
                  {"Net.b", "sum", "Net.b", "2"},
              });
  const Collective& both = rows.back();
  CHECK(both.bytes == 72);
  CHECK(both.sizes == Histogram{{8, 1}, {64, 1}});
  CHECK(both.bus_bytes == doctest::Approx(108));
  CHECK(both.lowered == std::vector<std::string>{"x", "y"});
}

TEST_CASE("calls in set-up are a row of their own, if the process began a forward") {
  const auto ledger = LedgerWriter::create();
  ledger->addGroup("0", "", "gloo", 4, 0, {});
  CollectiveKey key{};
  key.op = ledger->intern("sum");
  key.kind = Kind::kAllReduce;
  key.phase = Phase::kOther;
  key.async_op = AsyncOp::kUnknown;
  key.setup = 1;
  ledger->count(*ledger->row(key), {1, 8});
  key.setup = 0;
  ledger->count(*ledger->row(key), {2, 16});
  std::vector<Collective> rows = readLedger(ledger->bytes())->report.collectives;
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].count == 3);
  CHECK_FALSE(rows[0].setup);
  ledger->openStep().forward_passes = 1;
  rows = readLedger(ledger->bytes())->report.collectives;
  REQUIRE(rows.size() == 2);
  CHECK_FALSE(rows[0].setup);
  CHECK(rows[0].count == 2);
  CHECK(rows[1].setup);
  CHECK(rows[1].async_op == AsyncOp::kUnknown);
}

TEST_CASE("the reader rejects foreign bytes, empty files and other versions with the reason") {
  CHECK(readLedger({}).error() == "not a commtap ledger");
  Bytes bytes = copyOf(*sampleLedger(0));
  for (const uint32_t other : {kLedgerVersion - 1, kLedgerVersion + 1}) {
    headerOf(bytes).version = other;
    CHECK(
        readLedger(bytes).error() == "a ledger of format " + std::to_string(other) + ", this commtap reads format " +
                                         std::to_string(kLedgerVersion) + ": use the commtap that the job ran with");
  }
  headerOf(bytes).magic[0] = 'x';
  CHECK(readLedger(bytes).error() == "not a commtap ledger");
}

/// Returns a ledger with records in every section.
std::unique_ptr<LedgerWriter> fullLedger() {
  std::unique_ptr<LedgerWriter> ledger = sampleLedger(0);
  CollectiveKey key{};
  key.op = ledger->intern("c10d.allreduce_");
  countOne(*ledger, key, 0);
  LedgerCollective& row = *ledger->row(key);
  ledger->countDuration(row, *ledger->timesOf(row), DurationKind::kRunning, 100);
  REQUIRE(ledger->countOperations(Level::kOps));
  ledger->row(OperationKey{0, ledger->intern("aten.mm"), Phase::kForward, 1, {}})->count = 2;
  REQUIRE(ledger->countNccl(22907));
  const uint32_t communicator = ledger->addCommunicator();
  LedgerNcclCall& call =
      *ledger->row(NcclKey{ledger->intern("ncclAllReduce"), communicator, key.op, 0, 0, Phase::kForward, 7, 1, 0});
  call.count = 1;
  LedgerGraph& graph = *ledger->addGraph();
  ledger->addGraphCall(graph, row, {1, 64});
  ledger->addGraphCall(graph, call, {1, 64});
  ledger->closeStep(1, StepSign::kOptimizer);
  for (const LedgerSection& section : ledger->header().sections) {
    REQUIRE(section.used > 0);
  }
  return ledger;
}

TEST_CASE("a ledger truncated at any byte is rejected or read with a note on the damage") {
  const Bytes whole = compacted(*fullLedger());
  REQUIRE(readLedger(whole)->damage.empty());
  const auto& head = *reinterpret_cast<const LedgerHeader*>(whole.data());
  const size_t least = head.sections[kStrings].offset + head.run_id + sizeof(LedgerString); // with the name of the run
  REQUIRE(least > sizeof(LedgerHeader));
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto contents = readLedger(cut);
    CAPTURE(size);
    CHECK(static_cast<bool>(contents) == (size >= least));
    CHECK((!contents || !contents->damage.empty()));
  }
}

/// The bytes of a compacted ledger that no check covers: docs/design/ledger.md lists them.
class Believed {
 public:
  explicit Believed(Bytes& ledger) : ledger_(ledger), believed_(ledger.size()) {
    LedgerHeader& head = headerOf(ledger);
    add(head.not_seen);
    add(head.cost.spent_ns);
    add(head.cost.thread_bytes);
    add(head.signal_sent);
    add(head.signal_sent_at_ns);
    add(head.ended_by);
    add(head.step);
    add(head.steps_from);
    add(head.sections[kLast].used);
    forEach<kGroups>([&](LedgerGroup& group) {
      add(group.issued);
      add(group.dimension);
    });
    forEach<kModules>([&](LedgerModule& module) {
      add(module.parent);
      add(module.component);
      add(module.clean);
      add(module.calls);
    });
    forEach<kTimes>([&](LedgerTimes& times) {
      add(times.durations);
      add(times.bytes);
    });
    forEach<kCollectives>([&](LedgerCollective& row) {
      add(row.lowered);
      add(row.count);
      add(row.bytes);
    });
    forEach<kOperations>([&](LedgerOperation& row) { add(row.count); });
    forEach<kCommunicators>([&](LedgerCommunicator& communicator) { add(communicator); });
    forEach<kNcclCalls>([&](LedgerNcclCall& row) {
      add(row.count);
      add(row.failed);
      add(row.bytes);
      add(row.captured);
    });
    forEach<kGraphs>([&](LedgerGraph& graph) { add(graph); });
    forEach<kSteps>([&](LedgerStep& step) { add(step); });
    forEach<kLast>([&](LedgerLast& last) { add(last); });
    forEach<kSequences>([&](LedgerSequence& sequence) { add(sequence.sums); });
    forEach<kMembers>([&](LedgerMember& member) {
      add(member.count);
      add(member.bytes);
    });
    forEach<kStalls>([&](LedgerStall& stall) {
      add(stall.count);
      add(stall.exposed_ns);
    });
  }

  bool has(size_t offset) const {
    return believed_[offset];
  }

 private:
  template <LedgerSectionId kId, typename Visit>
  void forEach(const Visit& visit) {
    const LedgerSection& section = headerOf(ledger_).sections[kId];
    auto* records = reinterpret_cast<LedgerRecord<kId>*>(ledger_.data() + section.offset);
    const uint64_t used = section.used.load();
    for (uint64_t i = 0; i < usedIn(kId, used).value_or(used); ++i) {
      visit(records[i]);
    }
  }

  template <typename Field>
  void add(const Field& field) {
    const std::ptrdiff_t offset = reinterpret_cast<const std::byte*>(&field) - ledger_.data();
    std::fill_n(believed_.begin() + offset, sizeof(field), true);
  }

  Bytes& ledger_;
  std::vector<bool> believed_;
};

/// A data race needs a second thread: its sanitizer, which takes minutes for all bytes, sees a part of them.
#ifdef __SANITIZE_THREAD__
constexpr size_t kBytesApart = 7;
#else
constexpr size_t kBytesApart = 1;
#endif

TEST_CASE("any wrong byte is read, and changes no checked header, name or key without a note on the damage") {
  Bytes whole = compacted(*fullLedger());
  const Believed believed(whole);
  const auto right = readLedger(whole);
  REQUIRE(right);
  REQUIRE(right->damage.empty());
  const std::string json = reportToJson(right->report);
  size_t noted = 0;
  for (size_t offset = 0; offset < whole.size(); offset += kBytesApart) {
    for (const unsigned mask : {0x01U, 0x04U, 0x10U, 0x40U, 0x80U, 0xffU}) {
      Bytes wrong = whole;
      wrong[offset] ^= static_cast<std::byte>(mask);
      const auto contents = readLedger(wrong);
      REQUIRE((contents || !contents.error().empty()));
      const bool is_noted = !contents || !contents->damage.empty();
      noted += is_noted ? 1 : 0;
      if (!is_noted && !believed.has(offset) && reportToJson(contents->report) != json) {
        CAPTURE(offset);
        CAPTURE(mask);
        FAIL_CHECK("silently changed");
      }
    }
  }
  CHECK(noted > 10'000 / kBytesApart);
}

TEST_CASE("a damaged record is left out, named, and the others are kept") {
  Bytes bytes = compacted(*fullLedger());
  const size_t rows = readLedger(bytes)->report.collectives.size();
  auto* records = reinterpret_cast<LedgerCollective*>(bytes.data() + headerOf(bytes).sections[kCollectives].offset);
  records[0].key.phase = Phase::kOptimizer;
  const auto contents = readLedger(bytes);
  REQUIRE(contents);
  CHECK(contents->damage == "a row of collectives is damaged and was left out");
  CHECK(contents->report.collectives.size() == rows - 1);
}

TEST_CASE("records are read up to the last one if their number is damaged") {
  Bytes bytes = compacted(*fullLedger());
  const Report whole = readLedger(bytes)->report;
  for (const LedgerSectionId id : {kCollectives, kModules, kGroups, kStrings, kParameters}) {
    Bytes wrong = bytes;
    headerOf(wrong).sections[id].used.fetch_xor(1);
    const auto contents = readLedger(wrong);
    REQUIRE(contents);
    CHECK(contents->damage.find("the number of records of a section is damaged") == 0);
    CHECK(contents->report.collectives.size() == whole.collectives.size());
    CHECK(contents->report.modules.size() == whole.modules.size());
    CHECK(contents->report.groups.size() == whole.groups.size());
  }
}

TEST_CASE("sums of rows that are read as one stay at the largest number") {
  const auto ledger = LedgerWriter::create();
  ledger->addGroup("0", "", "gloo", 4, 0, {});
  for (const uint64_t bytes : {8, 64}) {
    LedgerCollective& row = countOne(*ledger, kGlobalModule, "sum", kGlobalModule, bytes);
    row.count = row.bytes = 1ULL << 63U;
  }
  const std::vector<Collective> rows = readLedger(ledger->bytes())->report.collectives;
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].count == UINT64_MAX);
  CHECK(rows[0].bytes == UINT64_MAX);
}

TEST_CASE("damaged counts do not make the reader return more records than the file can hold") {
  const auto ledger = sampleLedger(0);
  const std::vector<uint32_t> ranks(100);
  for (int i = 0; i < 3; ++i) {
    ledger->addGroup("g", "", "gloo", 100, 0, ranks);
  }
  Bytes bytes = copyOf(*ledger);
  auto* groups = reinterpret_cast<LedgerGroup*>(bytes.data() + headerOf(bytes).sections[kGroups].offset);
  groups[2].first_rank = groups[1].first_rank;
  groups[3].size = 200;
  for (const size_t group : {2, 3}) {
    groups[group].check = checkOf(groups[group], group);
  }
  const auto contents = readLedger(bytes);
  REQUIRE(contents);
  CHECK(contents->damage == "the ranks of a group are missing");
  CHECK(contents->report.groups[3].ranks.empty());
}

TEST_CASE("damage is an entry of the report's not_seen") {
  Bytes bytes = copyOf(*sampleLedger(0));
  headerOf(bytes).sections[kCollectives].record_size = 1;
  const auto contents = readLedger(bytes);
  REQUIRE(contents);
  CHECK(contents->report.collectives.empty());
  REQUIRE(contents->report.not_seen.size() == 1);
  CHECK(contents->report.not_seen[0].reason == "ledger_damaged");
  CHECK_FALSE(contents->report.not_seen[0].meaning.empty());
}

TEST_CASE("the exit of a living process is running, that of a dead process is killed") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().pid = static_cast<uint64_t>(getpid());
  ledger->header().pid_start_ticks = processStartTicks(static_cast<uint64_t>(getpid())).value();
  REQUIRE(ledger->publish(folder / "x.ledger"));
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit == ExitKind::kRunning);
  ledger->changeHeader([](LedgerHeader& head) { head.pid_start_ticks += 1; });
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit == ExitKind::kKilled);
}

TEST_CASE("a dead process that had destroyed all its groups, and was in no call, had ended its work") {
  const TempFolder folder;
  const auto ledger = sampleLedger(0);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().pid = static_cast<uint64_t>(getpid());
  ledger->header().pid_start_ticks = 1;
  const auto completeAll = [&ledger] {
    for (uint64_t i = 0; i < kLedgerCapacities[kLast]; ++i) {
      ledger->records<kLast>()[i].state = static_cast<uint32_t>(LastState::kCompleted);
    }
  };
  completeAll();
  REQUIRE(ledger->publish(folder / "x.ledger"));
  const auto exit = [&folder] { return readLedgerFile(folder / "x.ledger")->report.job.exit; };
  CHECK(exit() == ExitKind::kKilled);
  ledger->allDestroyed();
  CHECK(exit() == ExitKind::kAfterWork);
  ledger->noteLast(0, 1, 64, -1, 5); // it has not returned
  CHECK(exit() == ExitKind::kKilled);
  completeAll();
  ledger->addGroup("again", "", "gloo", 2, 0, {});
  CHECK(exit() == ExitKind::kKilled);
}

TEST_CASE("the ledger's exit code is a status or a signal, by the kind of exit") {
  const auto ledger = sampleLedger(0);
  LedgerHeader& header = ledger->header();
  for (const ExitKind exit : {ExitKind::kNormal, ExitKind::kUnderscoreExit}) {
    header.exit = static_cast<uint32_t>(exit);
    for (const int status : {0, 3}) {
      header.exit_code = 1 + status;
      CHECK(readLedger(ledger->bytes())->report.job.exit_status == status);
      CHECK_FALSE(readLedger(ledger->bytes())->report.job.exit_signal);
    }
  }
  header.exit = static_cast<uint32_t>(ExitKind::kSignal);
  header.exit_code = 6;
  CHECK(readLedger(ledger->bytes())->report.job.exit_signal == 6);
  CHECK_FALSE(readLedger(ledger->bytes())->report.job.exit_status);
}

/// Publishes the ledger of a process that ended without running commtap's code.
auto killedLedger(const std::string& path) {
  auto ledger = sampleLedger(0);
  ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
  ledger->header().pid = static_cast<uint64_t>(getpid());
  ledger->header().pid_start_ticks = 1;
  ledger->header().ended_at_ns = 0;
  REQUIRE(ledger->publish(path));
  return ledger;
}

TEST_CASE("of a killed process, the launcher's signal and its time are known; a number that is no signal is left out") {
  const TempFolder folder;
  const auto ledger = killedLedger(folder / "x.ledger");
  CHECK_FALSE(readLedgerFile(folder / "x.ledger")->report.job.exit_signal);
  CHECK_FALSE(readLedgerFile(folder / "x.ledger")->report.job.ended_at_ns);
  LedgerFile::noteSignalSent(folder / "x.ledger", SIGTERM);
  CHECK(ledger->header().signal_sent_at_ns > 0);
  ledger->header().signal_sent_at_ns = lastEventNs(readLedgerFile(folder / "x.ledger")->report);
  const auto sent = readLedgerFile(folder / "x.ledger");
  CHECK(sent->report.job.exit == ExitKind::kKilled);
  CHECK(sent->report.job.exit_signal == SIGTERM);
  CHECK(sent->signal_sent == SIGTERM);
  CHECK(sent->report.job.ended_at_ns == ledger->header().signal_sent_at_ns);
  CHECK(sent->report.job.signal_sent_at_ns == ledger->header().signal_sent_at_ns);
  ledger->header().signal_sent_at_ns = 1; // the process went on after it
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit == ExitKind::kKilled);
  CHECK_FALSE(readLedgerFile(folder / "x.ledger")->report.job.exit_signal);
  CHECK_FALSE(readLedgerFile(folder / "x.ledger")->report.job.ended_at_ns);
  LedgerFile::noteSignalSent(folder / "x.ledger", SIGKILL); // the signal after the first
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit_signal == SIGKILL);
  ledger->header().signal_sent = 1000;
  const auto damaged = readLedgerFile(folder / "x.ledger");
  CHECK_FALSE(damaged->report.job.exit_signal);
  CHECK_FALSE(damaged->report.job.ended_at_ns);
  CHECK(damaged->damage == "the launcher's signal is damaged and was left out");
}

TEST_CASE("a process that its parent found ended by a signal was ended by it, unless its launcher sent one") {
  const TempFolder folder;
  const auto ledger = killedLedger(folder / "x.ledger");
  LedgerFile::noteEndedBy(folder / "x.ledger", SIGKILL);
  const auto found = readLedgerFile(folder / "x.ledger");
  CHECK(found->report.job.exit == ExitKind::kSignal);
  CHECK(found->report.job.exit_signal == SIGKILL);
  CHECK_FALSE(found->report.job.ended_at_ns);
  LedgerFile::noteSignalSent(folder / "x.ledger", SIGTERM);
  ledger->header().signal_sent_at_ns = lastEventNs(found->report);
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit == ExitKind::kKilled);
  CHECK(readLedgerFile(folder / "x.ledger")->report.job.exit_signal == SIGTERM);
}

TEST_CASE("a process killed with SIGKILL leaves a consistent ledger") {
  const TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const auto ledger = sampleLedger(1);
    ledger->header().exit = static_cast<uint32_t>(ExitKind::kRunning);
    ledger->header().pid = static_cast<uint64_t>(getpid());
    const bool published = ledger->publish(folder / "x.ledger");
    kill(getpid(), published ? SIGKILL : SIGTERM);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WTERMSIG(status) == SIGKILL);
  const auto contents = readLedgerFile(folder / "x.ledger");
  REQUIRE(contents);
  CHECK(contents->damage.empty());
  CHECK(contents->report.job.exit == ExitKind::kKilled);
  CHECK(contents->report.collectives.size() == 3);
}

TEST_CASE("readLedgerFile names the file in its error") {
  const TempFolder folder;
  CHECK(readLedgerFile(folder / "none").error().find(folder / "none") == 0);
  writeText(folder / "text", "hello");
  CHECK(readLedgerFile(folder / "text").error() == (folder / "text") + ": not a commtap ledger");
}

TEST_CASE("a ledger whose rank is not below its world size is read without the world size, and says so") {
  const auto ledger = sampleLedger(1);
  ledger->header().rank = ledger->header().world_size;
  const auto contents = readLedger(ledger->bytes());
  REQUIRE(contents);
  CHECK(contents->report.job.rank == 4);
  CHECK_FALSE(contents->report.job.world_size);
  CHECK(contents->damage == "job.rank is not below job.world_size, which was left out");
  REQUIRE_FALSE(contents->report.not_seen.empty());
  CHECK(contents->report.not_seen.back().detail == contents->damage);
  CHECK(reportFromJson(reportToJson(contents->report)));
}

TEST_CASE("labels keep rows apart; a job may have any number of them") {
  const auto ledger = LedgerWriter::create();
  for (int i = 0; i < 100; ++i) {
    CollectiveKey key{};
    key.op = ledger->intern("sum");
    key.label = ledger->labelId("label " + std::to_string(i % 70));
    ledger->row(key)->count.fetch_add(1);
  }
  const std::vector<Collective> rows = readLedger(ledger->bytes())->report.collectives;
  REQUIRE(rows.size() == 65);
  CHECK(rows[0].label == "(other labels)");
  CHECK(rows[0].count == 6);
  CHECK(rows[1].label == "label 0");
  CHECK(rows[1].count == 2);
}

} // namespace
} // namespace commtap
