// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace commtap {

/// Makes `folder`/torch of this version, with a libtorch_cpu.so that is not torch. Returns the library's path.
std::string makeFakeTorch(const std::string& folder, const std::string& version);

/// Copies a file; fails the test if that fails.
void copyFile(const std::string& from, const std::string& to);

} // namespace commtap
