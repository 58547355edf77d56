// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace commtap {

/// The minors of torch 2 that have a name, of those for which commtap has a tracker. A name that a torch does not have
/// is never met in it, so the tracker needs no version to look one up: tests/unit/tracker/torch holds each torch's
/// sources against the tables.
struct Minors {
  int first = 0;
  int last = 999;

  constexpr bool has(int minor) const {
    return first <= minor && minor <= last;
  }
};

} // namespace commtap
