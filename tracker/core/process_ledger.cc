// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/process_ledger.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "report/base/atomic_file.h"
#include "report/base/process.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_memory.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/runs/ledger_recovery.h"
#include "report/runs/report_file.h"
#include "report/runs/run_folder.h"
#include "tracker/core/catch_all.h"
#include "tracker/core/clock.h"
#include "tracker/core/log.h"
#include "tracker/core/off_switch.h"

namespace commtap {
namespace {

std::string absolutePath(const std::string& path) {
  char folder[4096];
  if (path.empty() || path[0] == '/' || getcwd(folder, sizeof(folder)) == nullptr) {
    return path;
  }
  return std::string(folder) + "/" + path;
}

std::string parentFolder(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

LedgerSize ledgerSize() {
  const std::optional<uint64_t> left = addressSpaceLeft();
  return left && *left < kLittleAddressSpace ? LedgerSize::kSmall : LedgerSize::kFull;
}

} // namespace

ProcessLedger* ProcessLedger::instance_ = nullptr;
LedgerWriter* ProcessLedger::ledger_ = nullptr;

bool ProcessLedger::start(const Options& options, const std::string& torch_version) {
  const LedgerSize size = ledgerSize();
  std::unique_ptr<LedgerWriter> ledger = LedgerWriter::create(size);
  if (!ledger) {
    return false;
  }
  std::unique_ptr<ProcessLedger> process_ledger(new ProcessLedger(options));
  ledger_ = ledger.release();
  process_ledger->options_.out = absolutePath(options.out);
  process_ledger->torch_version_ = torch_version;
  process_ledger->describeProcess(torch_version);
  const int64_t rank = process_ledger->identity_.rank;
  startLog(options.log, rank < 0 ? "pid " + std::to_string(getpid()) : "rank " + std::to_string(rank));
  if (size == LedgerSize::kSmall) {
    logInfo("ulimit -v leaves less than 8 GiB: the tables have a sixteenth of their usual size");
  }
  instance_ = process_ledger.release();
  return true;
}

void ProcessLedger::describeProcess(const std::string& torch_version) {
  LedgerHeader& header = ledger_->header();
  const uint64_t now = steadyNow();
  header.realtime_minus_steady = wallClockNs() - now;
  ledger_->openStep().started_at_ns = now;
  header.timing_every = options_.timing.every;
  header.timing_device = options_.timing.device ? 1 : 0;
  header.planned = options_.plan == Plan::kOff ? 0 : 1;
  header.torch_version = ledger_->intern(torch_version);
  header.commtap_version = ledger_->intern(COMMTAP_VERSION);
  identity_.host = hostName();
  header.host = ledger_->intern(identity_.host);
  header.boot_id = ledger_->intern(bootId());
  header.run_began_ns = runBeganNs();
  readLaunchEnvironment();
  describeThisProcess();
}

void ProcessLedger::readLaunchEnvironment() {
  LedgerHeader& header = ledger_->header();
  environment_ = RankEnvironment::now();
  identity_.rank = environment_.rank;
  identity_.attempt = std::max<int64_t>(environmentNumber("TORCHELASTIC_RESTART_COUNT"), 0);
  identity_.run_id = options_.run_id.empty() ? launchedRunId(identity_.host) : options_.run_id;
  header.rank = identity_.rank;
  header.world_size = environment_.world_size;
  header.local_rank = environment_.local_rank;
  header.attempt = identity_.attempt;
  header.run_id = ledger_->intern(identity_.run_id);
  header.name = ledger_->intern(options_.name.empty() ? launchedName() : options_.name);
}

/// A forked child that is a rank, of a zygote or of a fork server, sets its place after the fork. What it has from its
/// parent stays: the parent's group may know its rank better than the environment.
void ProcessLedger::readChangedEnvironment() {
  const RankEnvironment now = RankEnvironment::now();
  const auto take = [](int64_t& known, int64_t value, int64_t before) {
    known = value >= 0 && value != before ? value : known;
  };
  LedgerHeader& header = ledger_->header();
  take(identity_.rank, now.rank, environment_.rank);
  header.rank = identity_.rank;
  take(header.world_size, now.world_size, environment_.world_size);
  take(header.local_rank, now.local_rank, environment_.local_rank);
  if (!now.out.empty() && now.out != environment_.out) {
    options_.out = absolutePath(now.out);
  }
  environment_ = now;
}

void ProcessLedger::describeThisProcess() {
  LedgerHeader& header = ledger_->header();
  identity_.pid = static_cast<uint64_t>(getpid());
  header.pid = identity_.pid;
  header.pid_start_ticks = processStartTicks(identity_.pid).value_or(0);
  header.started_at_ns = wallClockNs();
  header.parent_pid = static_cast<uint64_t>(getppid());
  header.argv = ledger_->intern(options_.command_line == CommandLine::kOff ? "[]" : commandLineJson());
}

void ProcessLedger::internalError(std::string_view what) noexcept {
  try {
    ledger_->notSeen(NotSeen::kInternalError, what);
    throw;
  } catch (const std::bad_alloc&) { // the job's, too
    return;
  } catch (...) {
    static std::atomic<bool> is_noted{false};
    if (get().hasOutput() && !is_noted.exchange(true)) {
      get().keepNextOff(what);
    }
  }
}

/// Call only in a process with output: without output there is no folder for the off switch.
void ProcessLedger::keepNextOff(std::string_view what) const {
  try {
    const std::string where =
        identity_.rank < 0 ? "pid " + std::to_string(identity_.pid) : "rank " + std::to_string(identity_.rank);
    const std::string error = "an error inside commtap in " + std::string(what);
    const OffSwitch off(options_.out, identity_);
    if (!in_memory_ && off.set(error + " (" + where + ")")) {
      logWarning(
          error + ": commtap stays off in the processes of this run that start from now on; empty " + off.path() +
          " to count all the same");
    }
  } catch (const std::exception&) { // this process goes on counting, and so do the next ones
    return;
  }
}

std::string ProcessLedger::reasonToStayOff() const {
  return OffSwitch(options_.out, identity_).reasonToStayOff();
}

std::vector<std::string> ProcessLedger::ledgersOfChild(int64_t pid) const {
  const bool is_launcher = !hasOutput() && !in_memory_ && !is_forked_;
  if (!is_launcher || !mayWrite(ExitKind::kUnderscoreExit)) {
    return {};
  }
  return ledgersOfProcess(commonFolder(options_.out, identity_.run_id), identity_.host, static_cast<uint64_t>(pid));
}

void ProcessLedger::noteSignalTo(int64_t pid, int signal) const {
  for (const std::string& path : ledgersOfChild(pid)) {
    LedgerFile::noteSignalSent(path, static_cast<uint32_t>(signal));
  }
}

void ProcessLedger::noteEndOf(int64_t pid, int signal) const {
  for (const std::string& path : ledgersOfChild(pid)) {
    LedgerFile::noteEndedBy(path, static_cast<uint32_t>(signal));
  }
}

std::string ProcessLedger::offSwitchPath() const {
  return OffSwitch(options_.out, identity_).path();
}

void ProcessLedger::stayOff(NotSeen why, const std::string& detail, const std::string& line) {
  logWarning("commtap stays off: " + line + "; nothing is counted: run `commtap doctor`");
  ledger_->notSeen(why, detail);
  if (identity_.rank >= 0) {
    processGroupSeen(-1, -1);
  }
}

void ProcessLedger::setArguments(const std::vector<std::string>& arguments) {
  if (is_forked_ && options_.command_line != CommandLine::kOff) {
    const StringId text = ledger_->intern(commandLineJson(arguments));
    ledger_->changeHeader([text](LedgerHeader& head) { head.argv = text; });
  }
}

void ProcessLedger::setPythonVersion(const std::string& version) {
  const StringId text = ledger_->intern(version);
  ledger_->changeHeader([text](LedgerHeader& head) { head.python_version = text; });
}

void ProcessLedger::processGroupSeen(int64_t rank, int64_t size) {
  if (hasOutput()) {
    return;
  }
  const ErrnoGuard keep_errno;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (hasOutput()) {
    return;
  }
  if (is_forked_) {
    readChangedEnvironment();
  }
  // The group's rank wins: a rank's child processes inherit the launcher's variables.
  if (rank >= 0) {
    identity_.rank = rank;
    ledger_->header().rank = rank;
    ledger_->header().world_size = size >= 0 ? size : ledger_->header().world_size;
  }
  if (!in_memory_) {
    publish();
  }
  has_output_.store(true, std::memory_order_release);
  ExitHandler::renew();
}

bool ProcessLedger::keepInMemory() {
  const std::lock_guard<std::mutex> lock(mutex_);
  in_memory_ = in_memory_ || !hasOutput();
  return in_memory_;
}

std::string ProcessLedger::reportPath() const {
  return hasOutput() && !in_memory_ ? folder_ + "/" + reportName(identity_) : "";
}

Result<Report> ProcessLedger::readHead() const {
  return readLedgerHead(ledger_->bytes());
}

void ProcessLedger::publish() {
  ledger_->header().report_name = ledger_->intern(reportName(identity_));
  folder_ = expandOutputPattern(options_.out, identity_);
  if (publishIn(options_.out)) {
    logDebug("ledger: " + ledger_->path());
    return;
  }
  const std::string fallback = fallbackFolder();
  const bool kept = fallback != options_.out && publishIn(patternOf(fallback));
  logWarning(
      kept ? "the report goes to " + folder_ + " instead; set COMMTAP_OUT to a folder that this process can write to"
           : "the report is kept in memory and tried again at exit; set COMMTAP_OUT to a folder that this process can "
             "write to");
}

/// Sets the run's id, and `folder_` if it returns true.
bool ProcessLedger::publishIn(const std::string& pattern) {
  const RunFolder run(pattern, identity_, ledger_->header().run_began_ns);
  const std::string folder_error =
      run.error().empty() ? makeFolders(parentFolder(run.path() + "/" + reportName(identity_))) : run.error();
  if (!folder_error.empty()) {
    logWarning("COMMTAP_OUT: " + folder_error);
    return false;
  }
  ledger_->header().run_id = ledger_->intern(run.runId());
  const std::string path = run.path() + "/" + ledgerFileName(reportName(identity_), identity_);
  for (int nth = 0; nth < 100; ++nth) { // a crashed process of the same pid may have left its ledger
    const std::string candidate = nth == 0 ? path : path + "." + std::to_string(nth) + ".ledger";
    if (ledger_->publish(candidate)) {
      folder_ = run.path();
      return true;
    }
    if (errno != EEXIST) {
      logWarning("COMMTAP_OUT: cannot make " + candidate + ": " + std::strerror(errno));
      return false;
    }
  }
  return false;
}

std::string ProcessLedger::fallbackFolder() const {
  const std::string temporary = environmentText("TMPDIR");
  return (temporary.empty() ? "/tmp" : temporary) + "/commtap-" + std::to_string(getuid());
}

bool ProcessLedger::isOfThisProcess() const {
  return static_cast<uint64_t>(getpid()) == identity_.pid;
}

bool ProcessLedger::mayWrite(ExitKind how) {
  if (how == ExitKind::kNormal) {
    return true;
  }
  sigset_t blocked;
  if (how == ExitKind::kSignal || pthread_sigmask(SIG_BLOCK, nullptr, &blocked) != 0) {
    return false;
  }
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    if (sigismember(&blocked, signal) == 1) {
      return false;
    }
  }
  return true;
}

void ProcessLedger::finish(ExitKind how, int code) {
  const ErrnoGuard keep_errno;
  const uint64_t ends_since_ns = steadyNow();
  if (in_memory_) {
    return;
  }
  if (hasOutput()) {
    finishOutput(how, code, ends_since_ns);
  } else if (!is_forked_ && mayWrite(how)) { // a launcher outlives its ranks; a forked helper is not a launcher
    recoverOthers(expandOutputPattern(options_.out, identity_));
  }
}

/// Recovers the ledgers that dead processes of this run have left.
void ProcessLedger::recoverOthers(const std::string& folder) {
  OutputIdentity process = identity_;
  process.run_id = ledger_->text(ledger_->header().run_id); // its own id if the run is not the first of its name
  recoverLedgersOfRun(folder, process);
  // Ledgers of earlier runs of the name would count as a sequence of crashes, which this end interrupts: see OffSwitch.
  if (!process.run_id.empty() && process.run_id != identity_.run_id) {
    recoverLedgersOfRun(commonFolder(options_.out, identity_.run_id), process);
  }
}

void ProcessLedger::finishOutput(ExitKind how, int code, uint64_t ends_since_ns) {
  LedgerHeader& header = ledger_->header();
  uint32_t running = static_cast<uint32_t>(ExitKind::kRunning);
  if (!header.exit.compare_exchange_strong(running, static_cast<uint32_t>(how))) {
    return; // another thread or an earlier exit step has done it
  }
  constexpr int kStatusBits = 0xff; // of the status, a parent gets 8 bits
  const bool is_known = code != ExitHandler::kUnknown;
  header.exit_code = how == ExitKind::kSignal ? code : is_known ? 1 + (code & kStatusBits) : 0;
  header.ended_at_ns.store(wallClockNs());
  header.end_check.store(checkOfEnd(header));
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  // Otherwise the marked ledger stays: the tools read it, and `commtap run` converts it to JSON.
  if (lock && mayWrite(how)) {
    writeReport(ends_since_ns);
    recoverOthers(folder_);
  }
}

void ProcessLedger::writeReport(uint64_t ends_since_ns) {
  if (ledger_->isOutsideOfRoot()) {
    logWarning(
        "this process has changed its root folder: its numbers stay in " + ledger_->path() +
        ", as named outside of that root; `commtap list` makes the report there");
    return;
  }
  if (ledger_->isLost()) {
    sayLost();
    return;
  }
  // Leaked on purpose: freeing a large report takes milliseconds, and the process is exiting.
  const auto& contents = *new Result<LedgerContents>(readLedger(ledger_->bytes()));
  if (ledger_->isLost()) { // since it was asked before
    sayLost();
    return;
  }
  if (!contents) {
    logWarning("the report could not be made: " + contents.error());
    return;
  }
  const auto end_ns = [ends_since_ns] { return steadyNow() - ends_since_ns; };
  for (const std::string& folder : {folder_, fallbackFolder()}) {
    const Result<std::string> written =
        writeReportFile(folder, reportName(identity_), contents->report, options_.compress, end_ns);
    if (written) {
      ledger_->removeFile();
      logInfo("report: " + *written);
      return;
    }
    logWarning("the report: " + written.error());
    if (ledger_->published()) {
      logWarning("the numbers are kept in " + ledger_->path() + "; `commtap show` reads it as it is");
      return;
    }
  }
}

void ProcessLedger::sayLost() const {
  logWarning(
      "another program has truncated " + ledger_->path() +
      ", the ledger of this process: its counts are lost and there is no report; keep *.ledger out of log rotation");
  ledger_->removeFile(); // a reader would take what is left of it for the end of the numbers
}

void ProcessLedger::resetInForkedChild() {
  has_output_.store(false);
  is_forked_ = true;
  // A value that the parent set before the fork is for processes that it starts.
  environment_.out = environmentText("COMMTAP_OUT");
  ledger_->resetInForkedChild();
  if (ledger_->header().host == 0) { // the parent's ledger was lost, with all names
    describeProcess(torch_version_);
  }
  ledger_->header().ended_at_ns.store(0);
  ledger_->header().cost.start_ns = 0; // the value was the parent's
  describeThisProcess();
}

ForkLock ProcessLedger::forkLock() {
  return {&get().mutex_, [] { new (&get().folder_) std::string(); }, "output at a fork"};
}

ForkLock ProcessLedger::ledgerForkLock() {
  return {&ledger().appending(), [] { ledger().repairInForkedChild(); }, "ledger at a fork"};
}

} // namespace commtap
