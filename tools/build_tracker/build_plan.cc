// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/base/text_file.h"

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

} // namespace commtap
