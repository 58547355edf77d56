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
#include <unordered_set>
#include <vector>

#include <c10/core/Storage.h>

#include "tracker/attribution/owned_tensors.h"
#include "tracker/core/fork_locks.h"
#include "tracker/core/object_table.h"

namespace commtap {

/// A module's role in the libraries that communicate for it.
enum class ModuleRole : uint8_t { kPlain, kDdp, kFsdp1, kFsdp2 };

enum class ModuleName : uint8_t { kRaw, kClean }; ///< with the components of wrappers, or without

/// A new module.
struct ModuleFacts {
  uint32_t parent = 0;
  std::string_view component{};
  std::string_view class_name{};  ///< the user's class, after those by which libraries swapped it: "FSDPModule/Net"
  std::string_view clean{};       ///< the component in clean names before it is made unique; "" if it is the same
  uint32_t wrapped = 0xffffffffU; ///< the innermost module that it wraps, if it has an id
  ModuleRole role = ModuleRole::kPlain;
  bool wrapper = false; ///< only raw names have the component
};

/// The job's modules for attribution at run time: names, parents and parameter owners. The ledger holds a copy for the
/// report. Any thread.
class ModuleRegistry {
 public:
  static ModuleRegistry& get();

  /// Adds a new module and returns its id. Its name is `component` below `parent`, made unique among live modules
  /// ("Net#2"). Reuses the names and id of a destroyed module of the same role and clean name.
  uint32_t add(const ModuleFacts& facts);
  uint32_t
  add(uint32_t parent, std::string_view component, std::string_view class_name, ModuleRole role, bool wrapper) {
    return add({parent, component, class_name, {}, kNoModule, role, wrapper});
  }
  /// Returns the scope `name` below `parent`, added at first use: a scope that the job has named.
  uint32_t scope(uint32_t parent, std::string_view name);
  /// Moves a root below its parent. `wrapper`: only raw names have the component. With parent 0 a root takes the name
  /// `component` if no other root has it now.
  void reparent(uint32_t module, uint32_t parent, std::string_view component, bool wrapper = false);
  void died(uint32_t module);
  /// Returns true once per module: the caller must then add the module's parameters to the report.
  bool wantsParameters(uint32_t module);

  /// `tensor` and `storage` may be null.
  void addParameter(uint32_t module, const c10::TensorImpl* tensor, const c10::Storage& storage);

  bool knows(uint32_t module);
  /// Returns the full name, such as "MLPModule.net1"; "Global" for 0.
  std::string nameOf(uint32_t module, ModuleName form);
  /// Returns the parent's id; Global is its own parent.
  uint32_t parentOf(uint32_t module);

  /// Return the owner of a tensor or storage. A storage that holds parameters of several modules belongs to their
  /// nearest common ancestor. A destroyed module stays the owner until very many tensors are owned.
  std::optional<uint32_t> ownerOfTensor(const void* tensor);
  std::optional<uint32_t> ownerOfStorage(const c10::Storage& storage);
  /// Returns the owner of a storage that parameters were moved into after they were added, as by `p.data = ...`, and
  /// notes it. Looks at the parameters themselves, so it is for a storage that ownerOfStorage() does not know.
  std::optional<uint32_t> ownerOfMoved(const c10::Storage& storage);
  /// Returns the number of tensors that have an owner.
  size_t ownedTensors();

  /// Returns the nearest of `module` and its ancestors with this role.
  std::optional<uint32_t> nearest(uint32_t module, ModuleRole role);
  /// Returns the farthest of `module` and its ancestors with this role.
  std::optional<uint32_t> farthest(uint32_t module, ModuleRole role);
  /// Notes that a DDP module has reduced gradients.
  void noteReduced(uint32_t ddp);
  /// Returns whether a DDP module was ever added.
  bool hasHadDdp() const {
    return has_had_ddp_.load(std::memory_order_relaxed);
  }
  /// Returns the live DDP modules.
  std::vector<uint32_t> ddps();
  /// Returns the live DDP modules that have reduced no gradients yet.
  std::vector<uint32_t> unreducedDdps();
  /// Returns the outermost module around `module`, or itself.
  uint32_t rootOf(uint32_t module);
  /// Returns the live module at a path of attributes below `module`, or `module` itself for "".
  std::optional<uint32_t> below(uint32_t module, std::string_view path);
  /// Returns the module at a path of attributes below a live root, if one root alone has such a module.
  std::optional<uint32_t> onlyBelowARoot(std::string_view path);
  /// Returns the nearest module that contains both, or is one of them; Global if no module does.
  uint32_t commonAncestor(uint32_t one, uint32_t other);
  /// Returns the FSDP2 unit named `unit` ("" for the root) below the FSDP root above `hint`. A unit of several modules
  /// has their names, separated by ", ", and is their nearest common ancestor: a module that the job has.
  std::optional<uint32_t> fsdp2Unit(uint32_t hint, std::string_view unit);

  static ForkLock forkLock();

 private:
  /// Modules that share a name, from the second on: "Net#2", ...
  struct Namesakes {
    uint32_t last = 1;       ///< the highest number given
    std::set<uint32_t> dead; ///< ids of destroyed modules, whose names can be reused
  };

  static constexpr uint32_t kNoModule = 0xffffffffU;

  /// Keeps no memory of the job, but the address of the storage object, so that no other storage gets it.
  using StorageRef = c10::weak_intrusive_ptr<c10::StorageImpl>;

  /// References to drop after unlocking: the last one destroys the object, which may wait for the GIL.
  struct Released {
    OwnedTensors::Released tensors;
    std::vector<StorageRef> storages;
  };

  /// Data that collectives read. Separate from Node, so that a module's ancestors lie in few cache lines.
  struct Place {
    uint32_t parent = kNoModule;
    ModuleRole role = ModuleRole::kPlain;
    bool has_reduced = false; ///< of DDP
  };
  struct Node {
    std::string component;
    std::string clean{};      ///< the component in clean names; "" if it is the same
    std::string clean_base{}; ///< `clean` before it was made unique
    bool wrapper = false;
    bool alive = false;
    bool inherited = false; ///< its name and rows were a destroyed module's
    bool has_parameters = false;
    Namesakes* namesakes = nullptr;     ///< null for the first of a name
    std::vector<StorageRef> storages{}; ///< that it owns
  };

  bool isModule(uint32_t module) const {
    return module < nodes_.size();
  }
  uint32_t addLocked(const ModuleFacts& facts, std::string_view component);
  uint32_t addNumbered(const ModuleFacts& facts, Released& released);
  bool canReuse(uint32_t module, const ModuleFacts& facts) const;
  uint32_t liveAgain(uint32_t module, Released& released);
  std::string uniqueClean(const ModuleFacts& facts);
  uint32_t rootLocked(uint32_t module) const;
  void forgetStorage(const StorageRef& storage, uint32_t module);
  void forgetOwned(uint32_t module, Released& released);
  void forgetOwnedByDead(Released& released);
  std::optional<uint32_t> ancestor(uint32_t module, ModuleRole role, bool farthest);
  void forgetFreed(uint32_t module, Released& released);
  bool isTied(const c10::TensorImpl& tensor, uint32_t module) const;
  void ownStorage(const c10::Storage& storage, uint32_t module);
  uint32_t ownerOfShared(const c10::Storage& storage, uint32_t module) const;
  uint32_t commonAncestorLocked(uint32_t one, uint32_t other) const;
  std::string nameBelow(uint32_t module, uint32_t root, bool raw);
  std::optional<uint32_t> belowLocked(uint32_t module, std::string_view path) const;
  std::optional<uint32_t> moduleNamed(uint32_t root, std::string_view name);

  static constexpr size_t kForgetAt = 64U << 10U;

  /// FSDP2's name of a unit below a root. A lookup does not copy the name.
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

  std::atomic<bool> has_had_ddp_{false};
  std::mutex mutex_;
  std::vector<Place> places_;                               ///< by ledger id; 0 is Global
  std::vector<Node> nodes_;                                 ///< by ledger id; 0 is Global
  std::unordered_map<std::string, uint32_t> by_name_;       ///< "parent id/component"
  std::unordered_map<std::string, Namesakes> namesakes_;    ///< "parent id/component"
  std::unordered_set<std::string> clean_names_;             ///< "parent id/clean" of every name in use
  std::unordered_map<std::string, uint32_t> clean_numbers_; ///< "parent id/clean base": the highest number given
  OwnedTensors tensors_;
  ObjectTable storage_owners_;
  size_t forget_at_ = kForgetAt; ///< number of owned tensors at which destroyed modules lose theirs
  std::unordered_map<UnitName<std::string>, uint32_t, UnitHash, SameUnit> fsdp2_units_; ///< cache of fsdp2Unit
};

} // namespace commtap
