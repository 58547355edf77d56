// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracker/fork_locks.h"

namespace commtap {

/// What a module is to the libraries that communicate for it.
enum class ModuleRole : uint8_t { kPlain, kDdp, kFsdp1, kFsdp2 };

enum class ModuleName : uint8_t { kRaw, kClean }; ///< with the components of wrappers, or without

/// The modules of the job as the tracker knows them: names, parents, who owns which parameter. The ledger holds the
/// same for the report; this is what attribution needs at run time. Any thread.
class ModuleRegistry {
 public:
  static ModuleRegistry& get();

  /// A module never seen before. Its name is `component` below `parent`, made unique among the living ("Net#2").
  /// A name whose module has died is given again, with its id.
  uint32_t add(uint32_t parent, std::string_view component, std::string_view class_name, ModuleRole role, bool wrapper);
  /// The module `name` below `parent`, which is added if there is none: a scope that the job has named.
  uint32_t scope(uint32_t parent, std::string_view name);
  void reparent(uint32_t module, uint32_t parent, std::string_view component);
  void died(uint32_t module);
  /// True once for each module: its parameters go into the report then.
  bool wantsParameters(uint32_t module);

  void addParameter(uint32_t module, const void* tensor, const void* storage);

  bool knows(uint32_t module);
  /// "MLPModule.net1"; "Global" for 0.
  std::string nameOf(uint32_t module, ModuleName form);
  /// Global's is itself.
  uint32_t parentOf(uint32_t module);

  std::optional<uint32_t> ownerOfTensor(const void* tensor);
  std::optional<uint32_t> ownerOfStorage(const void* storage);

  /// The nearest of `module` and its ancestors with this role.
  std::optional<uint32_t> nearest(uint32_t module, ModuleRole role);
  /// The farthest of `module` and its ancestors with this role.
  std::optional<uint32_t> farthest(uint32_t module, ModuleRole role);
  /// The FSDP2 unit that calls itself `unit` ("" for the root) below the FSDP root above `hint`.
  std::optional<uint32_t> fsdp2Unit(uint32_t hint, const std::string& unit);

  static ForkLock forkLock();

 private:
  struct Node {
    uint32_t parent;
    std::string component;
    ModuleRole role;
    bool wrapper;
    bool alive;
    bool inherited; ///< its name and rows were a module's that has died
    bool has_parameters;
  };

  Node* node(uint32_t module) {
    return module < nodes_.size() ? &nodes_[module] : nullptr;
  }
  uint32_t
  addLocked(uint32_t parent, std::string_view component, std::string_view class_name, ModuleRole role, bool wrapper);
  std::optional<uint32_t> ancestor(uint32_t module, ModuleRole role, bool farthest);
  std::string nameBelow(uint32_t module, uint32_t root, bool raw);

  std::mutex mutex_;
  std::vector<Node> nodes_;                           ///< by ledger id; 0 is Global
  std::unordered_map<std::string, uint32_t> by_name_; ///< "parent id/component"
  std::unordered_map<const void*, uint32_t> tensor_owners_;
  std::unordered_map<const void*, uint32_t> storage_owners_;
  std::unordered_map<std::string, uint32_t> fsdp2_units_; ///< cache of fsdp2Unit: "root id/unit"
};

} // namespace commtap
