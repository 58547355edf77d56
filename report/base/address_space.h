// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

namespace commtap {

/// `ulimit -v` leaves little if it leaves less than this many bytes: the job may need all of it.
inline constexpr uint64_t kLittleAddressSpace = 8ULL << 30U;

/// Returns how many bytes of address space `ulimit -v` leaves to this process; nullopt if there is no limit.
std::optional<uint64_t> addressSpaceLeft();

} // namespace commtap
