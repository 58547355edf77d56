// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/tools/command/elf_sample.h"

#include <elf.h>

#include <cstring>

namespace commtap {
namespace {

#if defined(__aarch64__)
constexpr uint16_t kOwnMachine = EM_AARCH64;
#else
constexpr uint16_t kOwnMachine = EM_X86_64;
#endif

template <typename T>
void append(std::string& bytes, const T& record) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof(record));
}

/// The table of names of a file.
class Names {
 public:
  uint32_t add(const std::string& name) {
    const auto at = static_cast<uint32_t>(text_.size());
    text_ += name + '\0';
    return at;
  }
  const std::string& text() const {
    return text_;
  }

 private:
  std::string text_ = std::string(1, '\0');
};

std::string symbolsOf(const ElfSample& sample, Names& names) {
  std::string bytes;
  append(bytes, Elf64_Sym{});
  for (const auto& [list, section] :
       {std::pair(&sample.defined, uint16_t{1}), std::pair(&sample.undefined, uint16_t{SHN_UNDEF})}) {
    for (const std::string& name : *list) {
      Elf64_Sym symbol{};
      symbol.st_name = names.add(name);
      symbol.st_shndx = section;
      append(bytes, symbol);
    }
  }
  return bytes;
}

std::string dynamicOf(const ElfSample& sample, Names& names) {
  std::string bytes;
  for (const std::string& name : sample.needed) {
    Elf64_Dyn entry{};
    entry.d_tag = DT_NEEDED;
    entry.d_un.d_val = names.add(name);
    append(bytes, entry);
  }
  append(bytes, Elf64_Dyn{});
  return bytes;
}

Elf64_Shdr section(uint32_t type, uint64_t offset, uint64_t size) {
  Elf64_Shdr header{};
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_link = 1; // the names
  return header;
}

} // namespace

std::string ElfSample::bytes() const {
  Names names;
  const std::string symbols = symbolsOf(*this, names);
  const std::string dynamic = dynamicOf(*this, names);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = machine == 0 ? kOwnMachine : machine;
  header.e_phoff = sizeof(header);
  header.e_phnum = interpreter.empty() ? 0 : 1;
  header.e_shoff = header.e_phoff + sizeof(Elf64_Phdr);
  header.e_shnum = 4;
  const uint64_t names_at = header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr);
  const uint64_t symbols_at = names_at + names.text().size();
  const uint64_t dynamic_at = symbols_at + symbols.size();
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = dynamic_at + dynamic.size();
  std::string file;
  append(file, header);
  append(file, segment);
  append(file, Elf64_Shdr{});
  append(file, section(SHT_STRTAB, names_at, names.text().size()));
  append(file, section(SHT_DYNSYM, symbols_at, symbols.size()));
  append(file, section(SHT_DYNAMIC, dynamic_at, dynamic.size()));
  return file + names.text() + symbols + dynamic + interpreter + '\0';
}

} // namespace commtap
