// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tracker/core/fork_locks.h"
#include "tracker/core/object_table.h"

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

  /// A module that has died is the owner still, until there are very many of such.
  std::optional<uint32_t> ownerOfTensor(const void* tensor);
  std::optional<uint32_t> ownerOfStorage(const void* storage);
  /// How many tensors have an owner.
  size_t ownedTensors();

  /// The nearest of `module` and its ancestors with this role.
  std::optional<uint32_t> nearest(uint32_t module, ModuleRole role);
  /// The farthest of `module` and its ancestors with this role.
  std::optional<uint32_t> farthest(uint32_t module, ModuleRole role);
  /// The FSDP2 unit that calls itself `unit` ("" for the root) below the FSDP root above `hint`.
  std::optional<uint32_t> fsdp2Unit(uint32_t hint, std::string_view unit);

  static ForkLock forkLock();

 private:
  /// Those that would have one name, from the second on: "Net#2", ...
  struct Namesakes {
    uint32_t last = 1;       ///< the highest number given
    std::set<uint32_t> dead; ///< ids whose names can be given again
  };

  static constexpr uint32_t kNoModule = 0xffffffffU;

  /// What collectives ask. Apart from the rest, so that those above a module are found in few pieces of the cache.
  struct Place {
    uint32_t parent = kNoModule;
    ModuleRole role = ModuleRole::kPlain;
  };
  struct Node {
    std::string component;
    bool wrapper = false;
    bool alive = false;
    bool inherited = false; ///< its name and rows were a module's that has died
    bool has_parameters = false;
    Namesakes* namesakes = nullptr;   ///< null for the first of a name
    std::vector<const void*> owned{}; ///< tensors and storages
  };

  bool isModule(uint32_t module) const {
    return module < nodes_.size();
  }
  uint32_t
  addLocked(uint32_t parent, std::string_view component, std::string_view class_name, ModuleRole role, bool wrapper);
  uint32_t
  addNumbered(uint32_t parent, std::string_view component, std::string_view class_name, ModuleRole role, bool wrapper);
  uint32_t liveAgain(uint32_t module);
  void forgetOwned(uint32_t module);
  void forgetOwnedByDead();
  std::optional<uint32_t> ancestor(uint32_t module, ModuleRole role, bool farthest);
  std::string nameBelow(uint32_t module, uint32_t root, bool raw);

  static constexpr size_t kForgetAt = 64U << 10U;

  /// What FSDP2 calls a unit below a root. Looked up without a copy of the name.
  template <typename Text>
  struct UnitName {
    uint32_t root;
    Text name;
  };
  struct UnitHash {
    using is_transparent = void;
    template <typename Text>
    size_t operator()(const UnitName<Text>& unit) const {
      return std::hash<std::string_view>()(unit.name) + unit.root;
    }
  };
  struct SameUnit {
    using is_transparent = void;
    template <typename Text, typename OtherText>
    bool operator()(const UnitName<Text>& one, const UnitName<OtherText>& other) const {
      return one.root == other.root && one.name == other.name;
    }
  };

  std::mutex mutex_;
  std::vector<Place> places_;                            ///< by ledger id; 0 is Global
  std::vector<Node> nodes_;                              ///< likewise
  std::unordered_map<std::string, uint32_t> by_name_;    ///< "parent id/component"
  std::unordered_map<std::string, Namesakes> namesakes_; ///< likewise
  ObjectTable tensor_owners_;
  ObjectTable storage_owners_;
  size_t forget_at_ = kForgetAt; ///< with so many owned tensors, those of the dead are forgotten
  std::unordered_map<UnitName<std::string>, uint32_t, UnitHash, SameUnit> fsdp2_units_; ///< cache of fsdp2Unit
};

} // namespace commtap
