// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tracker/attribution/attribution.h"

namespace commtap {

using ReadDdpBuffers = decltype(CommtapPython::ddp_buffers);

/// Sets the Python part's function that hands the buffers of DDP modules; nullptr in a process without Python.
void setReadDdpBuffers(ReadDdpBuffers function);

/// Returns the parts that modules have in all buffers of a type, for a call in which the forward of `ddp` broadcasts
/// some. Looks at the buffers in this thread's forwards number 1, 2, 4 and so on, and in every 64th: a look takes the
/// GIL, and by the version of a buffer, torch's counter of changes in place, it shows all changes since the last look.
ModuleParts buffersInCall(ThreadState& thread, uint32_t ddp, c10::ScalarType dtype);

} // namespace commtap
