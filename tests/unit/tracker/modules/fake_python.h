// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/core/python_host.h"

/// Records the calls of the fake Python part.
struct FakePython {
  const CommtapHost* host = nullptr; ///< nullptr: never started
  int enabled = -1;
  void* before = nullptr;
  void* after = nullptr;
  CommtapTorchFunction torch_function{nullptr, kCommtapNotForDdp, false};
};
#define FAKE_PYTHON_SYMBOL "fake_python"
