// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "report/base/held_file.h"
#include "report/ledger/ledger_format.h"
#include "report/ledger/ledger_layout.h"

namespace commtap {

/// The file behind a published ledger. A job that becomes a daemon closes all descriptors, this one too, and its next
/// file gets the number. So each use first checks that the descriptor still refers to this file.
class LedgerFile {
 public:
  /// Notes in the ledger of another process that this process sends it a deadly signal, and when; of several within a
  /// minute, the last signal and the first time. Does nothing if the file is not a ledger of this format.
  static void noteSignalSent(const std::string& path, uint32_t signal);
  /// Notes in it that this signal ended the process, as this one found.
  static void noteEndedBy(const std::string& path, uint32_t signal);

  LedgerFile() = default;
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  ~LedgerFile() {
    close();
  }

  /// Creates the file, which must not exist. Returns false with errno set.
  bool create(const std::string& path);
  bool isOpen() const {
    return fd_ >= 0;
  }
  const std::string& path() const {
    return path_;
  }

  /// Returns a descriptor for immediate use: the held one, or a new one of the same file. Returns -1 with errno set.
  int descriptor();
  /// Returns false with errno set.
  bool resize(uint64_t size);
  /// Allocates space for these bytes, so that a full disk is an error here and not SIGBUS later. Returns false with
  /// errno set.
  bool allocate(uint64_t offset, uint64_t size);
  bool write(const void* data, uint64_t size, uint64_t offset);

  /// Returns true if the process has changed its root folder (chroot) since create(), and `path()` names another file
  /// there, or none: the process can reach neither file nor folder by their names.
  bool isOutsideOfRoot() const;

  /// Deletes the file. Returns false with errno set.
  bool remove() const;
  void close();

 private:
  bool holdsFile(int fd) const;

  int fd_ = -1;
  FileIdentity file_;
  FileIdentity root_; ///< the process's root folder when the file was made
  std::string path_;
};

/// The ranges of a ledger, mapped anywhere. Unmaps them when destroyed.
class LedgerView {
 public:
  explicit LedgerView(const LedgerExtent& extent) : extent_(extent) {}
  LedgerView(const LedgerView&) = delete;
  LedgerView& operator=(const LedgerView&) = delete;
  ~LedgerView();

  /// Each maps all ranges: new memory; the memory of the ledger at `base` a second time; a file, read only. Returns
  /// false with errno set.
  bool mapMemory();
  bool mapAgain(std::byte* base);
  bool mapFile(int fd);

  /// Moves all ranges to the ledger's place at `base`. Returns false if one failed; those before it have moved.
  bool moveTo(std::byte* base);

  /// Returns the address of an offset inside a range.
  std::byte* at(uint64_t offset) const;

 private:
  template <typename Map>
  bool mapRanges(const Map& map);

  const LedgerExtent& extent_;
  std::array<std::byte*, kSectionCount + 1> ranges_{};
};

/// Proof that the caller holds LedgerMemory::appending().
using LedgerLock = std::lock_guard<std::mutex>;

/// The memory of one process's ledger: header and sections. It starts without a file, so that a process that never
/// communicates leaves no trace; publish() moves it into a file at the same address. Records are appended under the
/// lock; readers of published records need none. Nothing throws.
class LedgerMemory {
 public:
  LedgerMemory() = default;
  LedgerMemory(const LedgerMemory&) = delete;
  LedgerMemory& operator=(const LedgerMemory&) = delete;
  ~LedgerMemory();

  /// Maps the memory, all zeros. Returns false if there is no memory.
  bool map(LedgerSize size);
  /// Writes the header of an empty ledger into zeroed memory.
  void writeHeader(const LedgerLock& lock);

  LedgerHeader& header() const {
    return *reinterpret_cast<LedgerHeader*>(base_);
  }
  /// Changes fields of the header that are not live: `change(header())`. Before the ledger is published they may also
  /// be changed directly.
  template <typename Change>
  void changeHeader(const LedgerLock& lock, const Change& change) {
    const bool sealed = header().check.exchange(0) != 0; // a process that is killed here leaves no wrong check
    change(header());
    if (sealed) {
      sealHeader(lock);
    }
  }
  template <typename Change>
  void changeHeader(const Change& change) {
    changeHeader(LedgerLock(mutex_), change);
  }
  /// Writes the header's checks. A reader believes a header without them.
  void sealHeader(const LedgerLock& lock);
  /// Returns a section's first record.
  template <LedgerSectionId kId>
  LedgerRecord<kId>* records() const {
    return reinterpret_cast<LedgerRecord<kId>*>(base_ + kLedgerLayout.offsets[kId]);
  }
  /// Returns everything written so far, for readLedger().
  std::span<const std::byte> bytes() const {
    return {base_, kLedgerLayout.size};
  }

  /// Returns the lock of appends. A process that forks holds it, so that the child finds whole records.
  std::mutex& appending() {
    return mutex_;
  }
  /// Returns the number of published records.
  uint64_t used(LedgerSectionId id, const LedgerLock& /*lock*/) const {
    return used_[id];
  }
  /// Returns the index of the first of `records` new records, not yet published; kNoIndex if they do not fit.
  uint64_t reserve(LedgerSectionId id, uint64_t records, const LedgerLock& lock);
  /// Publishes the records below `used`.
  void commit(LedgerSectionId id, uint64_t used, const LedgerLock& lock);

  bool published() const {
    return file_.isOpen();
  }
  /// Moves the ledger into `path`, which must not exist. Other threads go on counting, and nothing that they count is
  /// lost. Returns false with errno set; the ledger then stays in memory.
  bool publish(const std::string& path);
  const std::string& path() const {
    return file_.path();
  }
  /// See LedgerFile::isOutsideOfRoot().
  bool isOutsideOfRoot() const {
    return file_.isOutsideOfRoot();
  }
  /// Returns whether another program has truncated the file: the counts are lost. See TruncationGuard.
  bool isLost() const;
  /// Removes the file once the report is written. The memory stays, for threads that still count.
  void removeFile() const;

 protected:
  /// Sets all counters to 0. What other threads add at the same time may stay.
  void zeroAllCounters(const LedgerLock& lock);
  /// Runs in a forked child whose parent may have been appending: keeps the published records and drops the file.
  void keepPublishedInForkedChild();
  /// Runs in a forked child: replaces the parent's memory by a copy, as of the fork. Returns false if all records were
  /// lost; the memory is then zeroed.
  bool leaveParentsMemory();

 private:
  bool allocateUpTo(LedgerSectionId id, uint64_t records);
  bool copyToFile(const LedgerLock& lock);
  bool moveIntoFile(const LedgerLock& lock);
  bool moveIntoCopy();
  /// Maps `fd` (-1: no file) in the memory's place. Returns false with errno set.
  bool mapInPlace(int flags, int fd);

  const LedgerExtent* extent_ = &kFullLedger;
  std::byte* base_ = nullptr;
  std::array<uint64_t, kSectionCount> allocated_{}; ///< bytes of each section that the file system has promised
  std::array<uint64_t, kSectionCount> used_{}; ///< as in the header, but this process's own also right after a fork
  LedgerFile file_;
  std::mutex mutex_;
};

} // namespace commtap
