// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/elf_file.h"

#include <elf.h>
#include <sys/stat.h>

#include <map>

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/tools/command/elf_sample.h"

namespace commtap {
namespace {

std::map<std::string, bool> symbolsIn(const ElfFile& file) {
  std::map<std::string, bool> symbols;
  file.visitSymbols([&symbols](std::string_view name, bool is_defined) { symbols[std::string(name)] = is_defined; });
  return symbols;
}

TEST_CASE("ElfFile reads interpreter, needed libraries and symbols") {
  const TempFolder folder;
  const ElfSample sample{0, "/lib/ld.so", {"libnccl.so.2", "libc.so.6"}, {"mine"}, {"ncclAllReduce"}};
  writeText(folder / "x.so", sample.bytes());
  const Result<ElfFile> file = ElfFile::open(folder / "x.so");
  REQUIRE(file);
  CHECK(file->isOfThisMachine());
  CHECK(file->interpreter() == "/lib/ld.so");
  CHECK(file->needed() == Words{"libnccl.so.2", "libc.so.6"});
  CHECK(symbolsIn(*file) == std::map<std::string, bool>{{"", false}, {"mine", true}, {"ncclAllReduce", false}});
}

TEST_CASE("ElfFile reads the programs of this build") {
  const Result<ElfFile> file = ElfFile::open(COMMTAP_EXE);
  REQUIRE(file);
  CHECK(file->isOfThisMachine());
  CHECK(has(file->interpreter(), "/ld-"));
  const Words needed = file->needed();
  CHECK(std::find(needed.begin(), needed.end(), "libc.so.6") != needed.end());
  CHECK(symbolsIn(*file).size() > 10);
}

TEST_CASE("a static program has no interpreter, another machine's file nothing that is read") {
  const TempFolder folder;
  writeText(folder / "static", ElfSample().bytes());
  CHECK(ElfFile::open(folder / "static")->interpreter().empty());
  writeText(folder / "other", ElfSample{EM_S390, "/lib/ld.so", {"libc.so.6"}, {"f"}, {}}.bytes());
  const Result<ElfFile> other = ElfFile::open(folder / "other");
  REQUIRE(other);
  CHECK_FALSE(other->isOfThisMachine());
  CHECK(other->needed().empty());
  CHECK(symbolsIn(*other).empty());
}

TEST_CASE("ElfFile reads no byte outside of a file that is cut off anywhere") {
  const TempFolder folder;
  const std::string whole = ElfSample{0, "/lib/ld.so", {"libc.so.6"}, {"mine"}, {"other"}}.bytes();
  for (size_t size = SELFMAG; size < whole.size(); size += 7) {
    writeText(folder / "cut", whole.substr(0, size));
    const Result<ElfFile> file = ElfFile::open(folder / "cut");
    REQUIRE(file);
    CHECK(file->needed().size() <= 1);
    CHECK(symbolsIn(*file).size() <= 3);
    CHECK(file->interpreter().size() <= 10);
  }
}

TEST_CASE("a file that is not ELF is an error with its path") {
  const TempFolder folder;
  writeText(folder / "script", "#!/bin/sh\n");
  writeText(folder / "empty", "");
  CHECK(ElfFile::open(folder / "script").error() == folder / "script is not a program or library");
  CHECK(ElfFile::open(folder / "empty").error() == folder / "empty is not a program or library");
  CHECK(ElfFile::open(folder.path()).error() == folder.path() + " is not a program or library");
  CHECK(has(ElfFile::open(folder / "none").error(), "none: No such file"));
}

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
  chmod(program.c_str(), 06755);
  CHECK_FALSE(isPrivileged(program)); // its user and group are this process's
  REQUIRE(chown(program.c_str(), getuid() + 1, getgid() + 1) == 0);
  chmod(program.c_str(), 02755);
  CHECK(isPrivileged(program));
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
