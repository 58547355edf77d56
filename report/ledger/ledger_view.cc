// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/ledger_view.h"

#include <sys/mman.h>

#include <cerrno>

namespace commtap {

LedgerView::~LedgerView() {
  const int error = errno;
  for (size_t i = 0; i < extent_.range_count; ++i) {
    if (ranges_[i] != nullptr) {
      munmap(ranges_[i], extent_.all_ranges[i].size);
    }
  }
  errno = error;
}

template <typename Map>
bool LedgerView::mapRanges(const Map& map) {
  for (size_t i = 0; i < extent_.range_count; ++i) {
    void* mapped = map(extent_.all_ranges[i]);
    if (mapped == MAP_FAILED) { // NOLINT(performance-no-int-to-ptr)
      return false;
    }
    ranges_[i] = static_cast<std::byte*>(mapped);
  }
  return true;
}

bool LedgerView::mapMemory() {
  // MAP_SHARED although no process shares it: only shared memory can be mapped twice.
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE;
  return mapRanges(
      [](const MappedRange& range) { return mmap(nullptr, range.size, PROT_READ | PROT_WRITE, kFlags, -1, 0); });
}

bool LedgerView::mapAgain(std::byte* base) {
  return mapRanges([base](const MappedRange& range) {
    return mremap(
        base + range.offset, 0, range.size, MREMAP_MAYMOVE); // an old size of 0 leaves the first view in place
  });
}

bool LedgerView::mapFile(int fd) {
  return mapRanges([fd](const MappedRange& range) {
    return mmap(nullptr, range.size, PROT_READ, MAP_SHARED, fd, static_cast<off_t>(range.offset));
  });
}

bool LedgerView::moveTo(std::byte* base) {
  for (size_t i = 0; i < extent_.range_count; ++i) {
    const MappedRange& range = extent_.all_ranges[i];
    if (mremap(ranges_[i], range.size, range.size, MREMAP_MAYMOVE | MREMAP_FIXED, base + range.offset) ==
        MAP_FAILED) { // NOLINT(performance-no-int-to-ptr)
      return false;
    }
    ranges_[i] = nullptr;
  }
  return true;
}

std::byte* LedgerView::at(uint64_t offset) const {
  size_t i = extent_.range_count - 1;
  while (i > 0 && extent_.all_ranges[i].offset > offset) {
    --i;
  }
  return ranges_[i] + (offset - extent_.all_ranges[i].offset);
}

} // namespace commtap
