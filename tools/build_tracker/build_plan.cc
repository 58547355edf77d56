// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "shim/built_tracker.h"
#include "tools/command/interpreter.h"

namespace commtap {
namespace {

constexpr const char* kFolder = "../share/commtap/tracker";
constexpr const char* kList = "/sources.json";

} // namespace

Result<std::string> findTrackerSources(const std::string& executable_folder) {
  const std::string folder = (std::filesystem::path(executable_folder) / kFolder).lexically_normal();
  std::error_code error;
  return std::filesystem::is_regular_file(folder + kList, error)
             ? Result<std::string>(folder)
             : Result<std::string>::failure(
                   folder +
                   " has no sources: they come with commtap's wheel and archive; in a checkout, ./dev build "
                   "makes the tracker for the torch of its environment");
}

Result<TrackerSources> readTrackerSources(const std::string& folder) {
  const Result<std::string> list = readTextFile(folder + kList);
  return list ? trackerSourcesFromJson(folder, *list) : Result<TrackerSources>::failure(list.error());
}

Result<TrackerSources> trackerSourcesFromJson(const std::string& folder, const std::string& list) {
  try {
    const nlohmann::json parsed = nlohmann::json::parse(list);
    return TrackerSources{
        .folder = folder,
        .defines = parsed.at("defines"),
        .units = parsed.at("units"),
        .c_files = parsed.at("c_files"),
        .exports = parsed.at("exports")};
  } catch (const nlohmann::json::exception& error) {
    return Result<TrackerSources>::failure(folder + kList + ": " + error.what() + ": install commtap again");
  }
}

namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// NDEBUG as in torch's wheels: without it some of its classes have more members.
Words compileArguments(const TrackerSources& sources, const TorchToBuildFor& torch) {
  Words words = {
      "-O3",
      "-fPIC",
      "-DNDEBUG",
      "-fvisibility=hidden",
      "-I" + sources.folder,
      "-isystem",
      sources.folder + "/third_party",
      "-isystem",
      sources.folder + "/third_party/zlib",
      "-isystem",
      sources.folder + "/third_party/libzstd/lib",
      "-isystem",
      torch.include_folder,
      "-isystem",
      torch.include_folder + "/torch/csrc/api/include",
  };
  append(words, sources.defines);
  return words;
}

/// The text of a source that includes others: fewer headers are parsed.
std::string unitText(const std::string& folder, const Words& files) {
  std::string text;
  for (const std::string& file : files) {
    text += fmt::format("#include \"{}/{}\"\n", folder, file);
  }
  return text;
}

Words linkArguments(const TrackerSources& sources, const TorchToBuildFor& torch, const std::string& output) {
  return {
      "-o",
      output,
      "-Wl,-z,now,-z,defs",
      "-Wl,--version-script," + sources.folder + "/" + sources.exports,
      "-L" + torch.folder,
      "-Wl,--no-as-needed",
      "-ltorch_cpu",
      "-lc10",
      "-Wl,--as-needed",
      "-ldl",
      "-lpthread",
  };
}

} // namespace

BuildPlan planBuild(
    const TrackerSources& sources,
    const TorchToBuildFor& torch,
    const std::vector<std::string>& compiler,
    const std::string& work) {
  BuildPlan plan;
  plan.output = work + "/libcommtap-tracker-" + torch.version + ".so";
  plan.link.command = compiler;
  plan.link.command.emplace_back("-shared");
  const auto add = [&](const std::string& source, std::string text, const Words& language) {
    const std::string object = fmt::format("{}/{}.o", work, plan.compile.size());
    BuildStep step{.source_path = text.empty() ? "" : source, .source_text = std::move(text), .command = compiler};
    append(step.command, language);
    append(step.command, compileArguments(sources, torch));
    append(step.command, {"-c", source, "-o", object});
    plan.compile.push_back(std::move(step));
    plan.link.command.push_back(object);
  };
  for (const Words& files : sources.units) {
    add(fmt::format("{}/{}.cc", work, plan.compile.size()),
        unitText(sources.folder, files),
        {"-std=c++20", "-fvisibility-inlines-hidden"});
  }
  for (const std::string& file : sources.c_files) {
    add(sources.folder + "/" + file, "", {"-x", "c", "-std=c11"});
  }
  append(plan.link.command, linkArguments(sources, torch, plan.output));
  return plan;
}

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTrackerPath = 4096; ///< bytes, as in the stub
constexpr mode_t kOwnerOnly = 0700;

std::string folderOf(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

/// Makes a folder that belongs to this user alone, or takes one that is there already.
std::string makePrivateFolder(const std::string& path) {
  std::string parents = makeFolders(folderOf(path));
  if (!parents.empty()) {
    return parents;
  }
  if (mkdir(path.c_str(), kOwnerOnly) == 0 || errno == EEXIST) {
    return "";
  }
  return path + ": " + std::error_code(errno, std::generic_category()).message();
}

/// Copies a file so that it appears whole, and only its owner may write to it.
std::string copyAtomically(const std::string& from, const std::string& to) {
  constexpr uint64_t kMostBytes = uint64_t{1} << 30U;
  const Result<std::string> content = readTextFile(from, kMostBytes);
  return content ? writeFileAtomically(to, *content) : content.error();
}

std::string copyPythonParts(const std::string& from, const std::string& to) {
  std::string made = makePrivateFolder(to);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, error)) {
    const bool is_library = made.empty() && entry.path().extension() == ".so";
    std::string failure = is_library ? copyAtomically(entry.path(), to + "/" + entry.path().filename().string()) : "";
    if (!failure.empty()) {
      return failure;
    }
  }
  return made;
}

} // namespace

Result<TrackerCache> makeTrackerCache(const std::string& torch_version) {
  std::array<char, kMaxTrackerPath> path{};
  if (!commtap_built_tracker_path(torch_version.c_str(), path.data(), path.size())) {
    return Result<TrackerCache>::failure("there is no cache folder: set HOME or XDG_CACHE_HOME to an absolute path");
  }
  TrackerCache cache{path.data()};
  std::string failure = makePrivateFolder(folderOf(cache.folder()));
  if (failure.empty()) {
    failure = makePrivateFolder(cache.folder());
  }
  return failure.empty() ? Result<TrackerCache>(std::move(cache)) : Result<TrackerCache>::failure(std::move(failure));
}

std::string installTracker(const TrackerCache& cache, const std::string& built, const std::string& library) {
  std::string failure = copyPythonParts(folderOf(library) + "/trackers/python", cache.folder() + "/python");
  if (failure.empty()) {
    failure = copyAtomically(built, cache.tracker);
  }
  if (failure.empty()) {
    const char* refusal = commtap_built_tracker_refusal(cache.tracker.c_str());
    failure = refusal == nullptr ? "" : cache.tracker + " would not be loaded: " + refusal;
  }
  return failure;
}

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
