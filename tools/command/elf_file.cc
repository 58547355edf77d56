// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <string_view>

#include "report/base/file_descriptor.h"
#include "tools/command/interpreter.h"

namespace commtap {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kThisMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kThisMachine = EM_AARCH64;
#else
constexpr uint16_t kThisMachine = EM_NONE;
#endif

} // namespace

struct ElfFile::Mapping {
  explicit Mapping(int fd, size_t bytes) : size(bytes) {
    void* address = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    start = address == MAP_FAILED ? nullptr : static_cast<const char*>(address);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (start != nullptr) {
      munmap(const_cast<char*>(start), size);
    }
  }

  const char* start = nullptr;
  size_t size;
};

/// A section of records, and the strings that they refer to.
struct ElfFile::Section {
  Elf64_Shdr header;
  uint64_t strings; ///< offset in the file
};

template <typename T>
std::optional<T> ElfFile::read(uint64_t offset) const {
  if (offset > mapping_->size || mapping_->size - offset < sizeof(T)) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, mapping_->start + offset, sizeof(T));
  return value;
}

std::string_view ElfFile::text(uint64_t offset) const {
  if (offset >= mapping_->size) {
    return {};
  }
  const char* start = mapping_->start + offset;
  return {start, strnlen(start, mapping_->size - offset)};
}

std::optional<ElfFile::Section> ElfFile::findSection(uint32_t type) const {
  const auto header = read<Elf64_Ehdr>(0);
  for (uint64_t i = 0; isOfThisMachine() && header && i < header->e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != type) {
      continue;
    }
    const auto strings = read<Elf64_Shdr>(header->e_shoff + uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    return strings ? std::optional<Section>({*section, strings->sh_offset}) : std::nullopt;
  }
  return std::nullopt;
}

Result<ElfFile> ElfFile::open(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!file.isOpen() || fstat(file.get(), &facts) != 0) {
    return Result<ElfFile>::failure(path + ": " + std::strerror(errno));
  }
  ElfFile elf;
  if (S_ISREG(facts.st_mode) && facts.st_size > 0) {
    elf.mapping_ = std::make_shared<const Mapping>(file.get(), static_cast<size_t>(facts.st_size));
  }
  if (!elf.mapping_ || elf.mapping_->start == nullptr || elf.text(0).substr(0, SELFMAG) != ELFMAG) {
    return Result<ElfFile>::failure(path + " is not a program or library");
  }
  return elf;
}

bool ElfFile::isOfThisMachine() const {
  const auto header = read<Elf64_Ehdr>(0);
  return header && header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
         header->e_machine == kThisMachine;
}

std::string ElfFile::interpreter() const {
  const auto header = read<Elf64_Ehdr>(0);
  for (uint64_t i = 0; isOfThisMachine() && header && i < header->e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_INTERP) {
      return std::string(text(segment->p_offset));
    }
  }
  return {};
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> names;
  const std::optional<Section> section = findSection(SHT_DYNAMIC);
  for (uint64_t at = 0; section && at < section->header.sh_size; at += sizeof(Elf64_Dyn)) {
    const auto entry = read<Elf64_Dyn>(section->header.sh_offset + at);
    if (!entry || entry->d_tag == DT_NULL) {
      break;
    }
    if (entry->d_tag == DT_NEEDED) {
      names.emplace_back(text(section->strings + entry->d_un.d_val));
    }
  }
  return names;
}

void ElfFile::visitSymbols(const std::function<void(std::string_view, bool)>& visit) const {
  const std::optional<Section> section = findSection(SHT_DYNSYM);
  for (uint64_t at = 0; section && at < section->header.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = read<Elf64_Sym>(section->header.sh_offset + at);
    if (!symbol) {
      return;
    }
    visit(text(section->strings + symbol->st_name), symbol->st_shndx != SHN_UNDEF);
  }
}

bool isPrivileged(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    return false;
  }
  const bool changes_user = (facts.st_mode & S_ISUID) != 0 && facts.st_uid != getuid();
  const bool changes_group = (facts.st_mode & S_ISGID) != 0 && facts.st_gid != getgid();
  const bool gains = getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return changes_user || changes_group || gains;
}

std::string whyNoPreload(const std::string& path, const Environment& environment) {
  const std::string interpreter = interpreterOf(path, environment);
  const std::string& file = interpreter.empty() ? path : interpreter;
  if (isPrivileged(file)) {
    return file + " is setuid, setgid or has capabilities: the dynamic linker ignores and removes LD_PRELOAD";
  }
  const Result<ElfFile> program = ElfFile::open(file);
  if (program && !program->isOfThisMachine()) {
    return file + " is for another processor or has 32 bits: libcommtap.so cannot be loaded into it";
  }
  if (program && program->interpreter().empty()) {
    return file + " is statically linked: no dynamic linker reads LD_PRELOAD";
  }
  return {};
}

std::vector<std::string> librariesInList(const std::string& list) {
  constexpr std::string_view kArrow = " => ";
  std::vector<std::string> paths;
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(kArrow);
    const size_t start = arrow == std::string::npos ? line.find_first_not_of(" \t") : arrow + kArrow.size();
    const size_t end = line.rfind(" (0x");
    if (start != std::string::npos && end != std::string::npos && start < end && line[start] == '/') {
      paths.push_back(line.substr(start, end - start));
    }
  }
  return paths;
}

std::vector<std::string> librariesAtStart(const std::string& path, Environment environment) {
  constexpr std::chrono::seconds kLinkLimit{60};
  const Result<ElfFile> program = ElfFile::open(path);
  // The variable below would not stop these: they would run.
  if (!program || program->interpreter().empty() || !whyNoPreload(path, environment).empty()) {
    return {};
  }
  environment.set("LD_TRACE_LOADED_OBJECTS", "1");
  return librariesInList(runChild({path}, environment, kLinkLimit).out);
}

std::string libraryNamed(const std::vector<std::string>& paths, const std::string& name) {
  const auto found =
      std::find_if(paths.begin(), paths.end(), [&name](const std::string& path) { return path.ends_with("/" + name); });
  return found == paths.end() ? "" : *found;
}

} // namespace commtap
