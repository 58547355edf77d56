// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_graphviz.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/text.h"

namespace commtap {
namespace {

/// Escapes text for a quoted DOT string. Doubles the backslashes of inert text, because `\` starts an escape sequence
/// in DOT.
std::string inQuotes(std::string_view text) {
  std::string safe;
  for (const char c : inert(text)) {
    safe += c == '\\' || c == '"' ? std::string{'\\', c} : std::string(1, c);
  }
  return safe;
}

/// One line a kind: what is in the module and below, and how much of it is its own.
std::string linesOf(const JobModule& module) {
  std::string lines;
  for (int i = 0; i < kKindCount; ++i) {
    const Amount all = sumOf(module.inclusive, std::nullopt, static_cast<Kind>(i));
    if (all.count == 0) {
      continue;
    }
    const Amount own = sumOf(module.own, std::nullopt, static_cast<Kind>(i));
    lines += fmt::format(
        "\\n{} {}, {} (own {}, {})",
        kindName(static_cast<Kind>(i)),
        all.count,
        humanBytes(static_cast<double>(all.bytes)),
        own.count,
        humanBytes(static_cast<double>(own.bytes)));
  }
  return lines;
}

uint64_t bytesOf(const JobModule& module) {
  return sumOf(module.inclusive, std::nullopt, std::nullopt).bytes;
}

/// Returns one of nine shades, by the square root of the share: so 1 % still differs from nothing.
int shadeOf(const JobModule& module, uint64_t job_bytes) {
  constexpr double kSteps = 8;
  const double share = job_bytes == 0 ? 0 : static_cast<double>(bytesOf(module)) / static_cast<double>(job_bytes);
  return 1 + static_cast<int>(std::lround(kSteps * std::sqrt(share)));
}

std::string nodeOf(size_t id, const JobModule& module, const JobReport& job) {
  constexpr int kFirstDarkShade = 6;
  const int shade = shadeOf(module, sumOf(amountsOf(job), std::nullopt, std::nullopt).bytes);
  const std::string class_name = module.class_name.empty() ? "" : " : " + inQuotes(module.class_name);
  return fmt::format(
      "  m{} [label=\"{}{}{}\", tooltip=\"{}\", fillcolor={}{}];\n",
      id,
      inQuotes(module.label(job.modules[module.parent].name)),
      class_name,
      linesOf(module),
      inQuotes(module.name),
      shade,
      shade < kFirstDarkShade ? "" : ", fontcolor=white");
}

} // namespace

std::string graphvizDot(const JobReport& job, std::optional<uint32_t> depth) {
  std::string text =
      "digraph commtap {\n  rankdir=LR;\n"
      "  node [shape=box, style=filled, colorscheme=blues9, fontname=\"sans-serif\"];\n";
  size_t silent = 0;
  size_t too_deep = 0;
  for (size_t i = 0; i < job.modules.size(); ++i) {
    const JobModule& module = job.modules[i];
    if (depth && module.depth > *depth) {
      ++too_deep;
    } else if (i != 0 && sumOf(module.inclusive, std::nullopt, std::nullopt).count == 0) {
      ++silent;
    } else {
      text += nodeOf(i, module, job);
      text += i == 0 ? "" : fmt::format("  m{} -> m{};\n", module.parent, i);
    }
  }
  if (silent + too_deep > 0) {
    text += fmt::format(
        "  label=\"Left out: {} modules without collectives in their subtree, {} modules below the depth\";\n",
        silent,
        too_deep);
  }
  return text + "}\n";
}

} // namespace commtap
