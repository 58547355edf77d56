// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/base/atomic_file.h"
#include "tools/command/child_process.h"

namespace commtap {
namespace {

constexpr std::chrono::minutes kLimit{60}; ///< of one compiler
constexpr size_t kMaxMessages = 4000;      ///< bytes that are shown of a compiler's

/// Returns the first messages: later ones follow from them.
std::string failureOf(const BuildStep& step, const ChildOutcome& outcome) {
  if (outcome.timed_out) {
    return fmt::format("{} took more than {} minutes", step.command[0], kLimit.count());
  }
  return fmt::format(
      "{} failed:\n{}\n{}", step.command[0], fmt::join(step.command, " "), outcome.err.substr(0, kMaxMessages));
}

std::string runStep(const BuildStep& step, const Environment& environment) {
  std::string written = step.source_path.empty() ? "" : writeFileAtomically(step.source_path, step.source_text);
  if (!written.empty()) {
    return written;
  }
  const ChildOutcome outcome = runChild(step.command, environment, kLimit);
  return outcome.succeeded() ? "" : failureOf(step, outcome);
}

/// Steps that several threads take one after the other, until one fails.
class Queue {
 public:
  Queue(const std::vector<BuildStep>& steps, const std::function<void(size_t, size_t)>& progress)
      : steps_(steps), progress_(progress) {}

  void work(const Environment& environment) {
    for (const BuildStep* step = next(); step != nullptr; step = next()) {
      finish(runStep(*step, environment));
    }
  }
  std::string failure() const {
    return failure_;
  }

 private:
  const BuildStep* next() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return taken_ == steps_.size() || !failure_.empty() ? nullptr : &steps_[taken_++];
  }
  void finish(const std::string& failure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.empty()) {
      failure_ = failure;
    }
    progress_(++done_, steps_.size());
  }

  const std::vector<BuildStep>& steps_;
  const std::function<void(size_t, size_t)>& progress_;
  std::mutex mutex_;
  size_t taken_ = 0;
  size_t done_ = 0;
  std::string failure_;
};

} // namespace

std::string runBuild(
    const BuildPlan& plan,
    const Environment& environment,
    size_t jobs,
    const std::function<void(size_t, size_t)>& progress) {
  Queue queue(plan.compile, progress);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::clamp<size_t>(jobs, 1, plan.compile.size()); ++i) {
    threads.emplace_back([&] { queue.work(environment); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return queue.failure().empty() ? runStep(plan.link, environment) : queue.failure();
}

} // namespace commtap
