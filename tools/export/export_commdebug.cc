// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_commdebug.h"

#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/model/module_tree.h"
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

ordered_json pairsOf(const std::map<std::string, uint64_t>& counts) {
  ordered_json pairs = ordered_json::array();
  for (const auto& [op, count] : counts) {
    pairs.push_back(ordered_json::array({inert(op), count}));
  }
  return pairs;
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

  /// Builds the tree from the last module to the first. A module is complete when it moves into its parent, because
  /// children follow their parents in the list.
  ordered_json build() {
    std::vector<ordered_json> nodes;
    for (size_t i = 0; i < modules_.size(); ++i) {
      nodes.push_back(node(i));
    }
    for (size_t i = modules_.size(); i-- > 1;) {
      ordered_json& children = nodes[modules_[i].parent]["children"];
      children.insert(children.begin(), std::move(nodes[i]));
    }
    return std::move(nodes.front());
  }

 private:
  void addCounts() {
    counts_.resize(modules_.size());
    for (const Collective& row : report_.collectives) {
      const bool backward = row.phase == Phase::kBackward || row.phase == Phase::kRecompute;
      for (size_t i = index_.at(row.issued_in);; i = modules_[i].parent) {
        (backward ? counts_[i].backward : counts_[i].forward)[opName(row.op)] += row.count;
        if (i == 0) {
          break;
        }
      }
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

  ordered_json node(size_t i) {
    const ModuleNode& module = modules_[i];
    const bool typed = i != 0 && !module.class_name.empty();
    return {
        {"fqn", inert(module.name)},
        {"module_type", typed ? fmt::format("class '{}'", inert(module.class_name)) : ""},
        {"parameters", std::move(parameters_[i])},
        {"children", ordered_json::array()},
        {"collectives_forward", pairsOf(counts_[i].forward)},
        {"collectives_backward", pairsOf(counts_[i].backward)},
        {"operations_forward", ordered_json::array()},
        {"operations_backward", ordered_json::array()},
        {"operations_checkpointing", ordered_json::array()},
    };
  }

  const Report& report_;
  std::vector<ModuleNode> modules_;
  std::unordered_map<std::string, size_t> index_;
  std::vector<Counts> counts_;
  std::vector<ordered_json> parameters_;
};

} // namespace

std::string commDebugJson(const Report& report) {
  constexpr int kIndent = 4;
  return Tree(report).build().dump(kIndent, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) + "\n";
}

} // namespace commtap
