// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// The work of torch's Python code for a DDP module outside of the module's calls and of autograd.
enum CommtapDdpWork : uint8_t {
  kCommtapNotForDdp,
  kCommtapDdpForward,
  kCommtapDdpBackward,
  kCommtapDdpOther,
};
