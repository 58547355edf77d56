// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Compares the layout of torch's classes with the one that the tracker was compiled for. The version does not settle
// it: a nightly or a vendor's build can have the number of a release. Each function returns the first difference as one
// line, "" if there is none. None follows a pointer that was found by an offset which is not verified yet. docs/design/
// layout.md lists what is compared, and what is not.

#include <string>

namespace c10d {
class ProcessGroup;
class Work;
} // namespace c10d

namespace commtap {

/// Compares operators, tensors and autograd's nodes. Makes a small tensor; takes no sequence number, random number or
/// lock of the job's.
std::string layoutDifference();

/// Compares the layout of ProcessGroup. Call before any other read of `group`.
std::string layoutDifference(const c10d::ProcessGroup& group);

/// Compares the layout of Work. Call before any other read of `work`.
std::string layoutDifference(const c10d::Work& work);

} // namespace commtap
