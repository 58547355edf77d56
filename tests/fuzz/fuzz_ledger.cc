// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "report/json/report_json.h"
#include "report/ledger/ledger_checks.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/ledger_reader/ledger_records.h"
#include "tests/fuzz/targets.h"

namespace commtap {
namespace {

/// Gives the records of a section the checks that they need to be read.
template <LedgerSectionId kId>
void seal(std::vector<std::byte>& bytes) {
  if constexpr (CheckedRecord<LedgerRecord<kId>>) {
    const LedgerSection& section = reinterpret_cast<LedgerHeader*>(bytes.data())->sections[kId];
    const uint64_t offset = section.offset;
    const uint64_t used = section.used.load() & 0xffffffffU;
    for (uint64_t i = 0; offset % sizeof(uint64_t) == 0 && offset < bytes.size() && i < used; ++i) {
      if ((i + 1) * sizeof(LedgerRecord<kId>) > bytes.size() - offset) {
        return;
      }
      auto& record = reinterpret_cast<LedgerRecord<kId>*>(bytes.data() + offset)[i];
      record.check = checkOf(record, i);
    }
  }
}

template <size_t... kIds>
void sealAll(std::vector<std::byte>& bytes, std::index_sequence<kIds...> /*ids*/) {
  (seal<static_cast<LedgerSectionId>(kIds)>(bytes), ...);
}

/// Sets the fields that the reader checks first: input that it rejects at once tests nothing. So the corpus also stays
/// valid across versions of the format.
void makeCurrent(std::vector<std::byte>& bytes) {
  if (bytes.size() < sizeof(LedgerHeader)) {
    return;
  }
  auto& header = *reinterpret_cast<LedgerHeader*>(bytes.data());
  std::memcpy(header.magic, kLedgerMagic, sizeof(kLedgerMagic));
  header.version = kLedgerVersion;
  header.header_size = sizeof(LedgerHeader);
  for (size_t id = 0; id < kSectionCount; ++id) {
    header.sections[id].record_size = kLedgerRecordSizes[id];
    if (id != kLast) {
      const uint64_t used = header.sections[id].used.load() & 0xffffffffU;
      header.sections[id].used = usedWithCheck(static_cast<LedgerSectionId>(id), used);
    }
  }
  header.check = 0;
  header.end_check = 0;
  sealAll(bytes, std::make_index_sequence<kSectionCount>());
}

} // namespace

void fuzzLedger(std::span<const uint8_t> bytes) {
  const auto all = std::as_bytes(bytes);
  std::vector<std::byte> ledger(all.begin(), all.end()); // of its own, so that a read behind its end is seen
  makeCurrent(ledger);
  const Result<LedgerContents> contents = readLedger(ledger);
  if (!contents) {
    return;
  }
  const std::string json = reportToJson(contents->report);
  if (const Result<Report> again = reportFromJson(json); !again) {
    std::fprintf(stderr, "the report of a ledger is not read again: %s\n", again.error().c_str());
    std::abort();
  }
}

} // namespace commtap
