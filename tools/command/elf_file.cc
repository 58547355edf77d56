// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/command/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "report/base/file_descriptor.h"

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

} // namespace commtap
