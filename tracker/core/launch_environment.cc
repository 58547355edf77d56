// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/launch_environment.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

namespace commtap {
namespace {

/// Returns what makes the repeated address of a torchrun that starts all ranks its own: the random end of the folder
/// that it made for them, and keeps when it restarts them. "" for the ranks of several hosts, whose folders differ.
std::string torchrunMark(const std::string& elastic_run) {
  if (environmentNumber("LOCAL_WORLD_SIZE") != environmentNumber("WORLD_SIZE")) {
    return {};
  }
  const std::string file = environmentText("TORCHELASTIC_ERROR_FILE"); // LOGS/none_MARK/attempt_0/0/error.json
  const std::string before = "/" + elastic_run + "_";
  const size_t end = file.rfind("/attempt_");
  const size_t start = end == std::string::npos ? end : file.rfind(before, end);
  return start == std::string::npos ? "" : "-" + file.substr(start + before.size(), end - start - before.size());
}

} // namespace

std::string environmentText(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

int64_t environmentNumber(const char* name) {
  const std::string text = environmentText(name);
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  return text.empty() || *end != '\0' || errno != 0 || value < 0 ? -1 : value;
}

RankEnvironment RankEnvironment::now() {
  return {
      environmentNumber("RANK"),
      environmentNumber("LOCAL_RANK"),
      environmentNumber("WORLD_SIZE"),
      environmentText("COMMTAP_OUT")};
}

std::string launchedRunId(const std::string& host) {
  const std::string slurm_job = environmentText("SLURM_JOB_ID");
  const std::string slurm_step = environmentText("SLURM_STEP_ID");
  std::string elastic_run = environmentText("TORCHELASTIC_RUN_ID");
  const std::string address = environmentText("MASTER_ADDR");
  if (!slurm_job.empty()) {
    return slurm_step.empty() ? slurm_job : slurm_job + "." + slurm_step;
  }
  if (!elastic_run.empty() && elastic_run != "none") {
    return elastic_run;
  }
  if (!address.empty()) {
    return address + ":" + environmentText("MASTER_PORT") + (elastic_run.empty() ? "" : torchrunMark(elastic_run));
  }
  return host + "-" + std::to_string(getpgrp()); // one command of a shell is one process group
}

std::string launchedName() {
  const std::string name = environmentText("WANDB_NAME");
  return name.empty() ? environmentText("SLURM_JOB_NAME") : name;
}

namespace {

struct Texts {
  std::mutex mutex;
  std::unordered_set<std::string> all;
};

Texts& texts() {
  static auto* instance = new Texts(); // leaked: the job holds pointers into it
  return *instance;
}

} // namespace

const char* lastingText(std::string_view text) {
  if (text.empty()) {
    return "";
  }
  const std::lock_guard<std::mutex> lock(texts().mutex);
  return texts().all.emplace(text).first->c_str();
}

ForkLock lastingTextForkLock() {
  return {&texts().mutex, [] { new (&texts()) Texts(); }, "texts at a fork"};
}

} // namespace commtap
