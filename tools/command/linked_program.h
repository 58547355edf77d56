// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/run/environment.h"

namespace commtap {

/// Returns whether a program has more rights than the user that starts it: setuid, setgid or capabilities.
bool isPrivileged(const std::string& path);

/// Returns why the dynamic linker would not preload a library into a program; "" if it would. Judges a script by its
/// interpreter.
std::string whyNoPreload(const std::string& path, const Environment& environment);

/// Returns the paths of the libraries that the dynamic linker would load into a program at its start. Only the dynamic
/// linker runs, as in ldd. Returns nothing for a script and for a program that is statically linked or privileged.
std::vector<std::string> librariesAtStart(const std::string& path, Environment environment);

/// Parses the dynamic linker's list: "\tlibm.so.6 => /lib/libm.so.6 (0x00007f...)".
std::vector<std::string> librariesInList(const std::string& list);

/// Returns the path whose file has this name, "" if there is none.
std::string libraryNamed(const std::vector<std::string>& paths, const std::string& name);

} // namespace commtap
