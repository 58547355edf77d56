// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

#include "tracker/core/fork_locks.h"
#include "tracker/core/thread_state.h"

namespace c10d {
class ProcessGroup;
}

namespace commtap {

/// This torch's process groups differ from those that the tracker was built for: nothing can be read from them.
class LayoutDiffers : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the ledger's entry for `group`, added at first use. Takes no lock if the thread's last group was the same.
/// Throws LayoutDiffers, as the functions below do.
GroupRef groupOf(const c10d::ProcessGroup& group, ThreadState& thread);

/// Returns the entry of the group that functional collectives call `name`; an empty reference if there is none.
GroupRef groupNamed(const std::string& name, ThreadState& thread);

/// Like groupNamed(), for a group that torch has just registered: it may have the name and the address of a destroyed
/// one, and is another entry.
GroupRef groupMade(const std::string& name, ThreadState& thread);

/// Returns the entry of the group to which a library such as vLLM gave `name`, which c10d does not know. The reference
/// is empty until learnLibraryGroup() has run inside a collective of the group.
GroupRef libraryGroupNamed(const std::string& name, ThreadState& thread);

/// Notes that the group whose name libraryGroupNamed() did not know last on this thread communicates through `group`.
void learnLibraryGroup(const c10d::ProcessGroup& group, ThreadState& thread);

ForkLock groupsForkLock();

} // namespace commtap
