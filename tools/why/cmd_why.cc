// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/process.h"
#include "report/json/row_write.h"
#include "report/merge/job_merge.h"
#include "tools/cli/job_input.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verb.h"
#include "tools/hosts/host_arguments.h"
#include "tools/http/http_client.h"
#include "tools/live/job_look.h"
#include "tools/live/late_watch.h"
#include "tools/live/process_state.h"
#include "tools/text/job_text.h"
#include "tools/text/table.h"
#include "tools/text/text.h"
#include "tools/why/incident.h"
#include "tools/why/job_verdict.h"
#include "tools/why/why_text.h"

namespace commtap {
namespace {

constexpr const char* kWhyAbout =
    "Reads the ledgers and reports of the newest job in the folders, twice, and says in one line why it hangs: the\n"
    "ranks that are the cause, the collective, its group and module, and since when the others wait. Ranks that made\n"
    "different calls come first, then ranks that cannot come, then ranks that are blocked elsewhere. The job is not\n"
    "affected. After a job was ended, the verdict is on what its ranks did until then; one that was cancelled while "
    "it\n"
    "made progress is healthy. --watch looks again and again until the job has ended, and reports each hang once.\n"
    "Hosts without a shared folder: run commtap serve on each, and name HOST:PORT,HOST:PORT instead of a folder.";
constexpr const char* kWhyExitStatus =
    "0 healthy, as are other runs since, or the watched job has ended; 1 stuck, or its ranks communicate\n"
    "differently; 2 cannot tell, or wrong usage; 3 failed: a rank crashed, and the job ends with it.";

constexpr int kExitUnknown = 2;
constexpr int kExitFailed = 3;

struct WhyArguments {
  std::vector<std::string> paths;
  HostArguments hosts;
  std::string run; ///< "": the newest
  double patience_s = kDefaultPatienceS;
  double interval_s = 1;
  bool json = false;
  bool watch = false;
  bool stacks = false;
  Notification notification;
};

int exitStatusOf(const Verdict& verdict) {
  switch (verdict.status) {
    case HangStatus::kHealthy:
      return kExitOk;
    case HangStatus::kWrong:
    case HangStatus::kStuck:
      return kExitFindings;
    case HangStatus::kFailed:
      return kExitFailed;
    case HangStatus::kUnknown:
      break;
  }
  return kExitUnknown;
}

int print(Verdict& verdict, const WhyArguments& arguments) {
  if (arguments.stacks) {
    addStacks(verdict);
  }
  if (!arguments.json) {
    sayAll(verdict.problems);
  }
  return printOut(arguments.json ? jsonDocument(verdict) : whyText(verdict, Color::forStream(STDOUT_FILENO)));
}

/// Returns the line before the verdict on one of several runs.
std::string titleOf(const std::string& run_id) {
  return "run " + inert(run_id) + ":\n";
}

/// Looks at the job in folders or on hosts.
class JobLooker {
 public:
  JobLooker(const WhyArguments& arguments, std::optional<HostsView> hosts)
      : arguments_(arguments), hosts_(std::move(hosts)) {}

  JobLook look() {
    return hosts_ ? hosts_->ask({}).look : lookWithStarted();
  }
  /// Asks hosts for the rows of two ranks only, once it is known which two are to be compared.
  Verdict verdict(const EarlierLook& before, JobLook& now) const {
    Verdict verdict = verdictOf(before, now, arguments_.patience_s);
    const bool has_rows = hosts_ && !verdict.compared.empty() && hosts_->addRows(verdict.compared, now);
    return has_rows ? verdictOf(before, now, arguments_.patience_s) : verdict;
  }

 private:
  JobLook lookWithStarted() {
    std::vector<std::string> there;
    std::copy_if(
        arguments_.paths.begin(), arguments_.paths.end(), std::back_inserter(there), [](const std::string& path) {
          return access(path.c_str(), F_OK) ==
                 0; // the folder of a job whose ranks have not joined a group is not there yet
        });
    JobLook look = lookAt(there);
    addStarted(arguments_.paths, look);
    return look;
  }

  const WhyArguments& arguments_;
  std::optional<HostsView> hosts_;
};

/// Says which later run failed without a report, as a verdict on an older run would mislead.
void sayLaterFailures(const WhyArguments& arguments, const Verdict& verdict) {
  for (const std::string& path : arguments.run.empty() ? arguments.paths : std::vector<std::string>()) {
    if (const std::string failed = failedRun(path, {}, verdict.last_activity_ns.value_or(0)); !failed.empty()) {
      say(failed);
    }
  }
}

/// Returns the exit status that says more: of what is found, of a crash, of what is not known.
int graver(int a, int b) {
  const auto order = [](int status) {
    return status == kExitFindings ? 3 : status == kExitFailed ? 2 : status == kExitUnknown ? 1 : 0;
  };
  return order(a) >= order(b) ? a : b;
}

/// Returns whether the run went on after the other one had started.
bool isSince(const SeenRun& seen, const SeenRun& other) {
  return isRunning(seen.look) ||
         std::any_of(seen.look.processes.begin(), seen.look.processes.end(), [&](const SeenProcess& process) {
           const uint64_t ended_ns = process.report->job.ended_at_ns.value_or(0);
           return std::max(lastActivityNs(*process.report), ended_ns) > other.run.started_at_ns;
         });
}

/// Says that runs were left out, and which of them hang, failed or were killed since the judged one began. Returns the
/// exit status that they have.
int sayOthers(const JobLooker& looker, const EarlierLook& before, ChosenRuns& runs, const WhyArguments& arguments) {
  if (runs.others.empty() || !arguments.run.empty()) {
    return kExitOk;
  }
  say(leftOutText(runs.others.size()));
  int status = kExitOk;
  for (SeenRun& other : runs.others) {
    if (!isSince(other, runs.judged.back())) {
      continue;
    }
    const Verdict verdict = looker.verdict(before, other.look);
    if (needsLook(verdict)) {
      const std::string paths = fmt::format("{}", fmt::join(arguments.paths, " "));
      say(fmt::format("another run needs a look: commtap why --run {} {}", shellWord(other.run.run_id), paths));
      status = graver(status, exitStatusOf(verdict));
    }
  }
  return status;
}

/// Prints a line for each rank that comes late in a job that goes on.
void sayLate(const JobLook& look, const Verdict& verdict, const WhyArguments& arguments) {
  if (arguments.json || verdict.status != HangStatus::kHealthy) {
    return;
  }
  for (const LateRank& late : LateWatch().look(look)) {
    printOut(lateRankLine(late) + "\n");
  }
}

int lookOnce(const WhyArguments& arguments, JobLooker looker) {
  JobLook now = looker.look();
  const EarlierLook before = earlier(now);
  if (isRunning(now)) {
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.interval_s));
    now = looker.look();
  }
  ChosenRuns runs = orEnd(chosenRuns(now, arguments.run));
  const bool are_unjoined = !now.started.empty() && arguments.run.empty();
  if (are_unjoined || runs.judged.empty()) {
    runs.judged = {{{}, std::move(now)}};
    runs.others.clear();
  }
  int status = kExitOk;
  for (SeenRun& seen : runs.judged) {
    Verdict verdict = looker.verdict(before, seen.look);
    sayLaterFailures(arguments, verdict);
    const bool has_title = runs.judged.size() > 1 && !arguments.json;
    if ((has_title && printOut(titleOf(verdict.run_id)) != kExitOk) || print(verdict, arguments) != kExitOk) {
      return kExitUnknown;
    }
    sayLate(seen.look, verdict, arguments);
    status = graver(status, exitStatusOf(verdict));
  }
  const int others = sayOthers(looker, before, runs, arguments);
  return status == kExitOk ? others : status;
}

/// Returns whether all ranks have ended and none failed: no launcher starts another attempt.
bool hasEndedWell(const Verdict& verdict, const JobLook& look) {
  const auto ranks = static_cast<int64_t>(verdict.ranks.size());
  return verdict.status == HangStatus::kHealthy && !isRunning(look) && ranks > 0 && verdict.world_size == ranks;
}

/// Returns whether a rank that is dead is so in two looks: while a job is ended, one rank ends before the others.
bool isConfirmed(const Verdict& before, const Verdict& now) {
  const bool is_dead = now.reason == HangReason::kKilled || now.reason == HangReason::kExited;
  return !is_dead || (before.reason == now.reason && before.cause == now.cause);
}

/// Watches the newest run and the others that go on, each by itself.
class Watch {
 public:
  Watch(const WhyArguments& arguments, JobLooker looker)
      : arguments_(arguments), looker_(std::move(looker)), before_(earlier(looker_.look())) {}

  /// Looks once. Returns the exit status if the watch is over.
  std::optional<int> look() {
    JobLook now = looker_.look();
    noteProgress(before_, now);
    Result<ChosenRuns> runs = chosenRuns(now, arguments_.run);
    bool have_ended = runs && now.started.empty() && !runs->judged.empty();
    bool all_well = true;
    for (SeenRun& seen : runs ? watchedOf(*runs) : std::vector<SeenRun>()) {
      Verdict verdict = looker_.verdict(before_, seen.look);
      const bool is_settled = watched_[seen.run.run_id].last.status == verdict.status;
      have_ended = have_ended && !isRunning(seen.look) && (hasEndedWell(verdict, seen.look) || is_settled);
      all_well = all_well && hasEndedWell(verdict, seen.look);
      if (const int printed = report(std::move(verdict), watched_[seen.run.run_id]); printed != kExitOk) {
        return printed;
      }
    }
    const bool is_over = (have_ended && (all_well || !hasLauncher(now))) || isLate(now);
    before_ = earlier(now);
    return is_over ? std::optional(kExitOk) : std::nullopt;
  }

 private:
  struct Watched {
    Incidents incidents;
    Verdict last;
  };

  std::vector<SeenRun> watchedOf(ChosenRuns& runs) const {
    std::vector<SeenRun> watched = std::move(runs.judged);
    for (SeenRun& other : runs.others) {
      if (arguments_.run.empty() && (isRunning(other.look) || watched_.contains(other.run.run_id))) {
        watched.push_back(std::move(other));
      }
    }
    return watched;
  }

  int report(Verdict verdict, Watched& watched) {
    if (isConfirmed(watched.last, verdict) && watched.incidents.isNew(verdict)) {
      const bool has_title = watched_.size() > 1 && !arguments_.json;
      if ((has_title && printOut(titleOf(verdict.run_id)) != kExitOk) || print(verdict, arguments_) != kExitOk) {
        return kExitFindings;
      }
      sayAll(notify(arguments_.notification, verdict));
    }
    watched.last = std::move(verdict);
    return kExitOk;
  }

  /// Returns whether a launcher may start another attempt: one runs here, or the job has ranks on other machines.
  bool hasLauncher(const JobLook& now) const {
    const std::string host = hostName();
    return std::any_of(
               now.processes.begin(),
               now.processes.end(),
               [&host](const SeenProcess& process) { return process.report->job.host != host; }) ||
           std::any_of(arguments_.paths.begin(), arguments_.paths.end(), [](const std::string& path) {
             return !processesWritingTo(path).empty();
           });
  }

  /// Returns whether no process has run for the job's patience: no launcher has started another attempt.
  bool isLate(const JobLook& now) {
    const bool is_first = ran_ns_ == 0 && !now.processes.empty();
    ran_ns_ = isRunning(now) || !now.started.empty() || is_first ? now.at_ns : ran_ns_;
    return ran_ns_ != 0 && static_cast<double>(now.at_ns - ran_ns_) / 1e9 > arguments_.patience_s;
  }

  const WhyArguments& arguments_;
  JobLooker looker_;
  EarlierLook before_;
  std::map<std::string, Watched> watched_; ///< by run
  uint64_t ran_ns_ = 0; ///< CLOCK_REALTIME of the last look at a running process, or the first at one that has ended
};

int watch(const WhyArguments& arguments, JobLooker looker) {
  endAtSignals();
  Watch watcher(arguments, std::move(looker));
  std::optional<int> status;
  while (!status) {
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.interval_s));
    status = watcher.look();
  }
  return *status;
}

int why(const WhyArguments& arguments) {
  std::optional<HostsView> hosts = orEnd(hostsFor(arguments.hosts, arguments.paths));
  for (const std::string& path : arguments.paths) {
    if (!hosts && !arguments.watch && processesWritingTo(path).empty()) { // ranks write once they have joined a group
      mustExist(path);
    }
  }
  const std::string& webhook = arguments.notification.webhook;
  if (!webhook.empty()) {
    orEnd(parseUrl(webhook), kExitUsage, "--webhook ");
  }
  JobLooker looker(arguments, std::move(hosts));
  return arguments.watch ? watch(arguments, std::move(looker)) : lookOnce(arguments, std::move(looker));
}

OptionTable whyOptions(WhyArguments& arguments) {
  constexpr double kDay = 86400;
  return OptionTable{
             {.names = "FOLDER",
              .help = "Folders of reports, or hosts with commtap serve: HOST:PORT,HOST:PORT; default: the folder of "
                      "COMMTAP_OUT, else commtap-out",
              .to = &arguments.paths}} +
         hostOptions(arguments.hosts) +
         OptionTable{
             runOption(&arguments.run),
             {.names = "--after",
              .value = "TIME",
              .help = "How long ranks that may still come must be without an event; default: 60s. Ranks that cannot "
                      "come, and calls that differ, are reported at once.",
              .to = &arguments.patience_s,
              .unit = Unit::kSeconds,
              .least = 0.1,
              .most = 30 * kDay},
             {.names = "--interval",
              .value = "TIME",
              .help = "Time between two looks; default: 1s",
              .to = &arguments.interval_s,
              .unit = Unit::kSeconds,
              .least = 0.1,
              .most = 3600},
             {.names = "--json", .help = "Print JSON: commtap help commtap-why-1.schema.json", .to = &arguments.json},
             {.names = "--stacks",
              .help = "Add the Python stacks of the ranks that are the cause, by py-spy",
              .to = &arguments.stacks},
             {.names = "--watch", .help = "Look until the job has ended; print each hang once", .to = &arguments.watch},
             {.names = "--exec",
              .value = "CMD",
              .help = "With --watch: run this command, with the JSON on stdin",
              .to = &arguments.notification.command,
              .needs = "--watch"},
             {.names = "--webhook",
              .value = "URL",
              .help = "With --watch: post the JSON to this URL",
              .to = &arguments.notification.webhook,
              .needs = "--watch"}};
}

} // namespace

Verb whyVerb() {
  auto arguments = std::make_shared<WhyArguments>();
  return {
      .name = "why",
      .help = "Say in one line why a job hangs",
      .usage = "commtap why [OPTIONS] [FOLDER...]",
      .about = kWhyAbout,
      .exit_status = kWhyExitStatus,
      .examples =
          {
              "commtap why out",
              "commtap why --json --stacks out",
              "commtap why --watch --after 120s --exec ./page.sh out",
              "commtap why node1:9464,node2:9464 --token-file token",
              "commtap why --slurm --token-file token",
          },
      .options = whyOptions(*arguments),
      .run = [arguments](const Given& /*given*/) {
        if (arguments->paths.empty()) {
          arguments->paths = pathsIn(orDefaultFolder(arguments->hosts, ""));
        }
        return why(*arguments);
      }};
}

} // namespace commtap
