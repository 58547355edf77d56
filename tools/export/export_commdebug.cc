// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/model/module_tree.h"
#include "report/model/saturating.h"
#include "tools/text/text.h"

namespace commtap {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Returns the op name that CommDebugMode uses: it counts native functional collectives under their older names.
std::string opName(const std::string& op) {
  constexpr std::string_view kNative = "_c10d_functional.";
  constexpr std::string_view kAutograd = "_c10d_functional_autograd.";
  for (const std::string_view prefix : {kNative, kAutograd}) {
    if (op.starts_with(prefix)) {
      return "c10d_functional." + op.substr(prefix.size());
    }
  }
  return op;
}

/// Returns the items as Python prints a tuple; a single item is followed by a comma.
std::string tupleText(const std::vector<std::string>& items) {
  return fmt::format("({}{})", fmt::join(items, ", "), items.size() == 1 ? "," : "");
}

/// A module's counts by op.
struct Counts {
  std::map<std::string, uint64_t> forward;
  std::map<std::string, uint64_t> backward;
};

void addAll(std::map<std::string, uint64_t>& sums, const std::map<std::string, uint64_t>& counts) {
  for (const auto& [op, count] : counts) {
    addSaturating(sums[op], count);
  }
}

ordered_json pairsOf(const std::map<std::string, uint64_t>& counts) {
  ordered_json pairs = ordered_json::array();
  for (const auto& [op, count] : counts) {
    pairs.push_back(ordered_json::array({inert(op), count}));
  }
  return pairs;
}

/// Returns the lines of an object's members, without its braces.
std::string membersText(const ordered_json& object) {
  constexpr int kIndent = 4;
  const std::string text = object.dump(kIndent, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  return text.substr(1, text.size() - std::string_view("{\n}").size());
}

class Tree {
 public:
  explicit Tree(const Report& report) : report_(report) {
    ModuleTree tree;
    tree.add(report);
    for (const Collective& row : report.collectives) {
      tree.own(row.issued_in);
    }
    modules_ = tree.take();
    for (size_t i = 0; i < modules_.size(); ++i) {
      index_.emplace(modules_[i].name, i);
    }
    addCounts();
    addParameters();
  }

  /// Returns the document. Each module has the indentation of the first, and nothing recurses: a report can nest
  /// modules thousands deep.
  std::string text() const {
    std::string text;
    std::vector<size_t> open; // the modules whose children are being written
    for (size_t i = 0; i < modules_.size(); ++i) {
      const bool is_child = i != 0;
      bool is_first = true;
      while (is_child && open.back() != modules_[i].parent) {
        close(open, text);
        is_first = false;
      }
      text += is_child && !is_first ? "," : "";
      text += (is_child ? "\n" : "") + start(i);
      open.push_back(i);
    }
    while (!open.empty()) {
      close(open, text);
    }
    return text + "\n";
  }

 private:
  void addCounts() {
    counts_.resize(modules_.size());
    for (const Collective& row : report_.collectives) {
      const bool backward = row.phase == Phase::kBackward || row.phase == Phase::kRecompute;
      Counts& counts = counts_[index_.at(row.issued_in)];
      addSaturating((backward ? counts.backward : counts.forward)[opName(row.op)], row.count);
    }
    for (size_t i = modules_.size(); i-- > 1;) { // children follow their parents
      addAll(counts_[modules_[i].parent].forward, counts_[i].forward);
      addAll(counts_[modules_[i].parent].backward, counts_[i].backward);
    }
  }

  void addParameters() {
    parameters_.assign(modules_.size(), ordered_json::array());
    for (const Module& module : report_.modules) {
      for (const Parameter& parameter : module.parameters) {
        if (!parameter.placements.empty()) {
          const std::string placements = tupleText(parameter.placements);
          parameters_[index_.at(module.name)].push_back(
              ordered_json::array({inert(parameter.name), inert(placements)}));
        }
      }
    }
  }

  /// Returns a module's text up to its first child.
  std::string start(size_t i) const {
    const ModuleNode& module = modules_[i];
    const bool typed = i != 0 && !module.class_name.empty();
    const ordered_json members = {
        {"fqn", inert(module.name)},
        {"module_type", typed ? fmt::format("class '{}'", inert(module.class_name)) : ""},
        {"parameters", parameters_[i]},
    };
    return "{" + membersText(members) + ",\n    \"children\": [";
  }

  /// Appends the text of the innermost open module after its last child.
  void close(std::vector<size_t>& open, std::string& text) const {
    const size_t i = open.back();
    open.pop_back();
    const ordered_json members = {
        {"collectives_forward", pairsOf(counts_[i].forward)},
        {"collectives_backward", pairsOf(counts_[i].backward)},
        {"operations_forward", ordered_json::array()},
        {"operations_backward", ordered_json::array()},
        {"operations_checkpointing", ordered_json::array()},
    };
    text += "]," + membersText(members) + "\n}";
  }

  const Report& report_;
  std::vector<ModuleNode> modules_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<Counts> counts_;
  std::vector<ordered_json> parameters_;
};

} // namespace

std::string commDebugJson(const Report& report) {
  return Tree(report).text();
}

} // namespace commtap
