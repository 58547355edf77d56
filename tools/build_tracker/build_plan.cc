// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/build_tracker/build_plan.h"

#include <fmt/format.h>

namespace commtap {
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
