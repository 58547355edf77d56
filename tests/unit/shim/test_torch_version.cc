// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/torch_version.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "report/base/atomic_file.h"
#include "shim/real_function.h"
#include "tests/unit/child.h"
#include "tests/unit/samples.h"
#include "tests/unit/shim/fake_torch.h"

namespace commtap {
namespace {

/// Says what is found in a process that has loaded this library.
std::string versionBeside(const std::string& library) {
  return runInChild([&] {
           commtap_torch_version version{};
           REQUIRE(dlopen(library.c_str(), RTLD_LAZY) != nullptr);
           sayLine(
               commtap_read_torch_version(&version)
                   ? std::string(version.full) + " | " + version.minor + (version.is_release ? "" : " | no release")
                   : "no version");
         })
      .said;
}

TEST_CASE("a process without torch has no version") {
  char path[64];
  commtap_torch_version version{};
  CHECK_FALSE(commtap_find_libtorch(path, sizeof(path)));
  CHECK_FALSE(commtap_read_torch_version(&version));
}

TEST_CASE("the loaded libtorch_cpu.so is found if its path fits") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "2.13.0");
  const ChildResult child = runInChild([&] {
    char path[4096];
    REQUIRE(dlopen(library.c_str(), RTLD_LAZY) != nullptr);
    sayLine(commtap_find_libtorch(path, sizeof(path)) ? path : "not found");
    sayLine(commtap_find_libtorch(path, 8) ? path : "not found");
  });
  CHECK(child.said == library + "\nnot found\n");
}

TEST_CASE("a Python package has its version in version.py") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "2.13.0+cpu");
  CHECK(versionBeside(library) == "2.13.0+cpu | 2.13\n");
  writeText(
      folder / "torch/version.py", "from typing import Optional\n\n__version__ = \"2.15.0a0+git1\"\ndebug = False\n");
  CHECK(versionBeside(library) == "2.15.0a0+git1 | 2.15 | no release\n");
}

TEST_CASE("version.py may assign its version in any plain way") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "");
  for (const char* line :
       {"__version__='2.13.0'",
        "__version__ = \"2.13.0\"  # by hand",
        "__version__: str = '2.13.0'",
        "__version__ : Final[str]=\"2.13.0\"\r"}) {
    CAPTURE(line);
    writeText(folder / "torch/version.py", "# torch\n" + std::string(line) + "\ndebug = False\n");
    CHECK(versionBeside(library) == "2.13.0 | 2.13\n");
  }
}

TEST_CASE("a version that version.py computes is not guessed, and another file may hold it") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "");
  for (const char* line :
       {"__version__ = '2.13.0' + suffix",
        "__version__ = read('2.13.0')",
        "__version__ == '2.13.0'",
        "__version__: str",
        "__version__ = '2.13.0",
        "if x: __version__ = '2.13.0'",
        "__version__"}) {
    CAPTURE(line);
    writeText(folder / "torch/version.py", std::string(line) + "\n");
    CHECK(versionBeside(library) == "no version\n");
  }
  REQUIRE(makeFolders(folder / "torch/share/cmake/Torch").empty());
  writeText(folder / "torch/share/cmake/Torch/TorchConfigVersion.cmake", "set(PACKAGE_VERSION \"2.12.0\")\n");
  CHECK(versionBeside(library) == "2.12.0 | 2.12\n");
}

TEST_CASE("the C++ distribution has it in build-version") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "");
  std::filesystem::remove(folder / "torch/version.py");
  writeText(folder / "torch/build-version", "2.9.1+cu130\n");
  CHECK(versionBeside(library) == "2.9.1+cu130 | 2.9\n");
}

/// Says whether a torch of this version is a release.
bool isRelease(const std::string& version) {
  const TempFolder folder;
  const std::string found = versionBeside(makeFakeTorch(folder.path(), version));
  REQUIRE(found.starts_with(version + " | "));
  return found.find("no release") == std::string::npos;
}

TEST_CASE("a release may have a label of its vendor") {
  for (const char* version :
       {"2.13.0",
        "2.13.1+cpu",
        "2.13.0+cu130",
        "2.13.0+rocm7",
        "2.13.0+rocm7.1.0.lw.git1a2b3c4d",
        "2.13.0+xpu",
        "2.13.0+debian",
        "2.13.0.post1",
        "2.13.0.post12+cpu"}) {
    CAPTURE(version);
    CHECK(isRelease(version));
  }
}

TEST_CASE("nightlies, candidates, vendors' branches and checkouts are no releases") {
  for (const char* version :
       {"2.14.0a0+git123",
        "2.14.0a0+abc.nv25.10",
        "2.15.0.dev20261001",
        "2.15.0.dev20261001+cpu",
        "2.13.0rc1",
        "2.13.0b1",
        "2.13.0+git1a2b3c4",
        "2.13",
        "2.13.x",
        "2.13.0.1",
        "2.13.0.post",
        "2.13.0+"}) {
    CAPTURE(version);
    CHECK_FALSE(isRelease(version));
  }
}

TEST_CASE("the path of torch's extension module") {
  CHECK(commtap_is_torchs_module("/site/torch/_C.cpython-311-x86_64-linux-gnu.so"));
  for (const char* other : {"/site/torch/_Cx.so", "/site/other/_C.so", "torch/_C.so", "_C.so", ""}) {
    CHECK_FALSE(commtap_is_torchs_module(other));
  }
}

/// Makes a conda environment whose module torch._C links libtorch_cpu.so, and returns the module's path.
std::string makeCondaEnvironment(const std::string& folder) {
  const std::string site = folder + "/lib/python3.11/site-packages";
  const std::string module = site + "/torch/_C.cpython-311-x86_64-linux-gnu.so";
  const std::string library = makeFakeTorch(site, "2.14.1.post300");
  copyFile(library, module);
  std::filesystem::rename(library, folder + "/lib/libtorch_cpu.so");
  REQUIRE(makeFolders(folder + "/share/cmake/Torch").empty());
  writeText(
      folder + "/share/cmake/Torch/TorchConfigVersion.cmake",
      "set(PACKAGE_VERSION \"2.14.1\")\n\nif(\"${PACKAGE_VERSION}\" VERSION_LESS \"1\")\nendif()\n");
  return module;
}

TEST_CASE("conda has the libraries in the environment's lib folder, and version.py with the module") {
  const TempFolder folder;
  const std::string module = makeCondaEnvironment(folder.path());
  const ChildResult child = runInChild([&] {
    REQUIRE(dlopen(module.c_str(), RTLD_LAZY) != nullptr);
    sayLine(versionBeside(folder / "lib/libtorch_cpu.so"));
  });
  CHECK(child.said == "2.14.1.post300 | 2.14\n\n");
}

TEST_CASE("a C++ program in a conda environment has the version in CMake's file") {
  const TempFolder folder;
  makeCondaEnvironment(folder.path());
  CHECK(versionBeside(folder / "lib/libtorch_cpu.so") == "2.14.1 | 2.14\n");
}

TEST_CASE("what is no version, or does not fit, is not taken for one") {
  const TempFolder folder;
  const std::string library = makeFakeTorch(folder.path(), "2.13.0");
  for (const std::string& text :
       {std::string("2"), std::string("2."), std::string("x2.13"), std::string(), "2.13." + std::string(100, '0')}) {
    writeText(folder / "torch/version.py", "__version__ = '" + text + "'\n");
    CHECK(versionBeside(library) == "no version\n");
  }
  writeText(folder / "torch/version.py", "version = '2.13.0'\n");
  CHECK(versionBeside(library) == "no version\n");
}

} // namespace
} // namespace commtap
