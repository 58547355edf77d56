// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_image.h"
#include "report/ledger_reader/ledger_reader.h"
#include "tests/fuzz/targets.h"

namespace commtap {
namespace {

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
  }
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
