// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/base/result.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

/// The published records of a ledger in memory, as far as they lie inside its bytes. Accepts any bytes and notes the
/// first damage.
class LedgerRecords {
 public:
  explicit LedgerRecords(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// Finds the sections. Returns an error if the bytes are not a ledger that this version reads, else "".
  std::string locate();

  const LedgerHeader& header() const {
    return *reinterpret_cast<const LedgerHeader*>(bytes_.data());
  }
  /// Returns the number of records in a section.
  uint64_t count(LedgerSectionId id) const {
    return sections_[id].count;
  }
  /// Returns a record; `index` is below count().
  template <LedgerSectionId kId>
  const LedgerRecord<kId>& at(uint64_t index) const {
    return reinterpret_cast<const LedgerRecord<kId>*>(sections_[kId].data)[index];
  }

  /// Returns whether a record fits its check; notes the damage if not. `index` is below count().
  template <LedgerSectionId kId>
  requires CheckedRecord<LedgerRecord<kId>>
  bool isWhole(uint64_t index) {
    const bool is_whole = fitsItsCheck<kId>(index);
    if (!is_whole) {
      noteDamagedRecord(kId);
    }
    return is_whole;
  }
  /// Calls visit(record, index) for each record that fits its check.
  template <LedgerSectionId kId, typename Visit>
  void forEachWhole(const Visit& visit) {
    for (uint64_t i = 0; i < count(kId); ++i) {
      if (isWhole<kId>(i)) {
        visit(at<kId>(i), i);
      }
    }
  }
  /// Returns a live number; notes `damage` and returns 0 if it is above `most`.
  uint32_t numberUpTo(uint32_t most, uint32_t number, const char* damage);

  /// Return the string of an id; "?" if it is missing or damaged. The view is valid as long as the bytes.
  std::string_view textView(StringId id);
  std::string text(StringId id) {
    return std::string(textView(id));
  }

  /// Notes damage. Keeps the first note.
  void damaged(std::string_view what);
  /// Returns the noted damage; "" if there is none.
  const std::string& damage() const {
    return damage_;
  }

 private:
  struct Section {
    const std::byte* data = nullptr;
    uint64_t count = 0;
  };

  template <LedgerSectionId kId>
  bool fitsItsCheck(uint64_t index) const {
    const LedgerRecord<kId>& record = at<kId>(index);
    return checkOf(record, index) == record.check;
  }

  std::string checkHeader();
  bool isCutBeforeRunId() const;
  void checkSeals();
  void locate(LedgerSectionId id);
  uint64_t countFittingRecords(LedgerSectionId id) const;
  /// Returns 0 unless `id` is kId.
  template <LedgerSectionId kId>
  uint64_t countFittingIn(LedgerSectionId id) const {
    uint64_t fitting = 0;
    if constexpr (CheckedRecord<LedgerRecord<kId>>) {
      while (id == kId && fitting < count(kId) && fitsItsCheck<kId>(fitting)) {
        ++fitting;
      }
    }
    return fitting;
  }
  void noteDamagedRecord(LedgerSectionId id);

  std::span<const std::byte> bytes_;
  std::array<Section, kSectionCount> sections_;
  std::string damage_;
};

class FileDescriptor;

/// A copy of a ledger file in memory. Only the parts that hold records are read and take memory; the rest is zero. A
/// copy, because reading a mapped file that is truncated at the same time raises SIGBUS.
class LedgerImage {
 public:
  /// Reads a file, also while its process writes it. The error does not name the path.
  static Result<LedgerImage> load(const std::string& path);
  static Result<LedgerImage> load(const FileDescriptor& file);

  LedgerImage(LedgerImage&& other) noexcept;
  LedgerImage& operator=(LedgerImage&&) = delete;
  LedgerImage(const LedgerImage&) = delete;
  LedgerImage& operator=(const LedgerImage&) = delete;
  ~LedgerImage();

  std::span<const std::byte> bytes() const {
    return {data_, size_};
  }

 private:
  explicit LedgerImage(uint64_t size);

  std::string read(int fd);
  std::string readSection(int fd, uint32_t id);

  std::byte* data_ = nullptr; ///< null: no memory
  uint64_t size_ = 0;
};

/// Returns true if the file starts like a ledger.
bool isLedgerFile(const std::string& path);

} // namespace commtap
