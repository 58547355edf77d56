// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_modules.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "report/ledger/ledger_checks.h"

namespace commtap {

uint32_t LedgerModules::addModule(
    uint32_t parent,
    std::string_view component,
    std::string_view class_name,
    uint32_t flags,
    std::string_view clean) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kModules, 1, lock); // before its names take space
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kModulesFull, component, 1, lock);
    return kNoIndex;
  }
  const StringId component_id = store_.intern(component, lock);
  const StringId class_id = store_.intern(class_name, lock);
  const StringId clean_id = clean == component ? 0 : store_.intern(clean, lock);
  LedgerModule& module = store_.records<kModules>()[index];
  module.parent.store(parent, std::memory_order_relaxed);
  module.component.store(component_id, std::memory_order_relaxed);
  module.clean.store(clean_id, std::memory_order_relaxed);
  module.class_name = class_id;
  module.flags = flags;
  module.check = checkOf(module, index);
  std::fill(std::begin(module.calls), std::end(module.calls), 0);
  store_.commit(kModules, index + 1, lock);
  return static_cast<uint32_t>(index);
}

void LedgerModules::reparentModule(uint32_t module, uint32_t parent, std::string_view component, bool wrapper) {
  const LedgerLock lock(store_.appending());
  LedgerModule& moved = store_.records<kModules>()[module];
  moved.clean.store(wrapper ? kNoIndex : 0, std::memory_order_relaxed);
  moved.component.store(store_.intern(component, lock), std::memory_order_relaxed);
  moved.parent.store(parent, std::memory_order_release);
}

void LedgerModules::renameModule(uint32_t module, std::string_view component) {
  const LedgerLock lock(store_.appending());
  store_.records<kModules>()[module].component.store(store_.intern(component, lock), std::memory_order_release);
}

void LedgerModules::addParameter(uint32_t module, const LedgerParameterFacts& facts) {
  const LedgerLock lock(store_.appending());
  const uint64_t index = store_.reserve(kParameters, 1, lock); // before its names take space
  if (index == kNoIndex) {
    store_.notSeen(NotSeen::kParametersFull, facts.name, 1, lock);
    return;
  }
  LedgerParameter& parameter = *new (&store_.records<kParameters>()[index]) LedgerParameter{
      .module = module,
      .name = store_.intern(facts.name, lock),
      .shape = store_.intern(facts.shape, lock),
      .local_shape = store_.intern(facts.local_shape, lock),
      .dtype = store_.intern(facts.dtype, lock),
      .mesh = store_.intern(facts.mesh, lock),
      .placements = store_.intern(facts.placements, lock),
      .requires_grad = facts.requires_grad ? 1U : 0U,
      .check = 0};
  parameter.check = checkOf(parameter, index);
  store_.commit(kParameters, index + 1, lock);
}

} // namespace commtap
