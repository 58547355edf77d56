// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/shim/fake_torch.h"

#include <doctest/doctest.h>

#include "report/base/atomic_file.h"
#include "tests/unit/samples.h"

namespace commtap {

void copyFile(const std::string& from, const std::string& to) {
  writeText(to, readText(from));
}

std::string makeFakeTorch(const std::string& folder, const std::string& version) {
  REQUIRE(makeFolders(folder + "/torch/lib").empty());
  writeText(folder + "/torch/version.py", "__version__ = '" + version + "'\n");
  copyFile(COMMTAP_STUB, folder + "/torch/lib/libtorch_cpu.so");
  return folder + "/torch/lib/libtorch_cpu.so";
}

} // namespace commtap
