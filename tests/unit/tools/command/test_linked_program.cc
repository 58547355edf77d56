// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/linked_program.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/unit/programs.h"
#include "tests/unit/tools/command/elf_sample.h"

namespace commtap {
namespace {

TEST_CASE("the dynamic linker's list has a path for each library that was found") {
  const char* list =
      "\tlinux-vdso.so.1 (0x00007ffc)\n"
      "\t/x/libcommtap.so (0x00007f01)\n"
      "\tlibtorch_cpu.so => /t/lib/libtorch_cpu.so (0x00007f02)\n"
      "\tlibmissing.so => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n";
  const Words libraries = librariesInList(list);
  CHECK(libraries == Words{"/x/libcommtap.so", "/t/lib/libtorch_cpu.so", "/lib64/ld-linux-x86-64.so.2"});
  CHECK(libraryNamed(libraries, "libtorch_cpu.so") == "/t/lib/libtorch_cpu.so");
  CHECK(libraryNamed(libraries, "libmissing.so").empty());
  CHECK(libraryNamed({"/x/notlibm.so"}, "libm.so").empty());
}

TEST_CASE("a program's libraries include what is preloaded") {
  const char* const variables[] = {"LD_PRELOAD=" COMMTAP_STUB, nullptr};
  const Words libraries = librariesAtStart("/bin/sh", Environment(variables));
  CHECK_FALSE(libraryNamed(libraries, "libc.so.6").empty());
  const std::string stub = COMMTAP_STUB;
  CHECK(libraryNamed(libraries, stub.substr(stub.rfind('/') + 1)) == stub);
}

TEST_CASE("a library is preloaded into a program that is dynamically linked and has no privileges") {
  const TempFolder folder;
  const std::string program = folder / "program";
  writeText(program, ElfSample{0, "/lib/ld.so", {}, {}, {}}.bytes());
  chmod(program.c_str(), 0755);
  CHECK(whyNoPreload(program, Environment(nullptr)).empty());
  CHECK_FALSE(isPrivileged(program));
  chmod(program.c_str(), 04755);
  CHECK(isPrivileged(program));
  CHECK(whyNoPreload(program, Environment(nullptr)).starts_with(program + " is setuid"));
}

TEST_CASE("neither a script nor a static program is started") {
  const TempFolder folder;
  writeText(folder / "script", "#!/bin/sh\ntouch " + (folder / "ran") + "\n");
  writeText(folder / "static", ElfSample().bytes());
  for (const char* name : {"script", "static", "none"}) {
    chmod((folder / name).c_str(), 0755);
    CHECK(librariesAtStart(folder / name, Environment(nullptr)).empty());
  }
  CHECK(namesIn(folder.path()) == Words{"script", "static"});
}

} // namespace
} // namespace commtap
