// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/log.h"

#include <memory>

#include <spdlog/details/console_globals.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "report/base/redaction.h"

namespace commtap {
namespace {

// Leaked on purpose: the last line may be written after static destructors have run.
spdlog::logger*& logger() {
  static spdlog::logger* instance = nullptr;
  return instance;
}

spdlog::level::level_enum spdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kOff:
      return spdlog::level::off;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kDebug:
      return spdlog::level::debug;
  }
  return spdlog::level::warn;
}

void log(spdlog::level::level_enum level, const std::string& message) {
  if (logger() != nullptr) {
    logger()->log(level, inert(message)); // a message may quote the environment
  }
}

} // namespace

void startLog(LogLevel level, const std::string& who) {
  auto* made = new spdlog::logger("commtap", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  made->set_level(spdlogLevel(level));
  made->set_pattern("[commtap " + who + "] %l: %v");
  made->flush_on(spdlog::level::trace);
  made->set_error_handler([](const std::string&) {}); // a closed stderr is the job's business
  logger() = made;
}

void logWarning(const std::string& message) {
  log(spdlog::level::warn, message);
}

void logInfo(const std::string& message) {
  log(spdlog::level::info, message);
}

void logDebug(const std::string& message) {
  log(spdlog::level::debug, message);
}

ForkLock logForkLock() {
  return {&spdlog::details::console_mutex::mutex(), [] {}, "log at a fork"};
}

} // namespace commtap
