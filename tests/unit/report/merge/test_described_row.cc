// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <map>

#include <nlohmann/json.hpp>

#include "report/json/columns.h"
#include "report/json/json_cursor.h"
#include "report/json/row_read.h"
#include "report/json/row_write.h"
#include "report/merge/dom_cursor.h"

namespace commtap {
namespace {

/// A row type that no report has: what a new column needs is its description.
struct Parcel {
  std::string to;
  Phase phase = Phase::kOther;
  bool fragile = false;
  std::optional<uint64_t> stamp;
  uint64_t weight = 0;
};

} // namespace

template <>
inline constexpr auto kColumns<Parcel> = std::tuple{
    column("to", &Parcel::to, "Where it goes.", {.key = true}),
    column("phase", &Parcel::phase, "", {.key = true}),
    column("weight", &Parcel::weight, "Its weight."),
    column("stamp", &Parcel::stamp, "Its stamp, if it has one.", {.presence = Presence::kIfKnown}),
    column("fragile", &Parcel::fragile, "Whether it breaks.", {.presence = Presence::kIfKnown, .key = true}),
};

namespace {

const Parcel kParcel{"a", Phase::kForward, true, 7, 3};

TEST_CASE("a described row is written, and read at both cursors") {
  std::string text;
  appendRow(text, kParcel, ReportContext());
  CHECK(text == R"({"to":"a","phase":"forward","weight":3,"stamp":7,"fragile":true})");
  const nlohmann::json document = nlohmann::json::parse(text);
  simdjson::dom::parser parser;
  const Parcel slow = rowFrom<Parcel>(JsonCursor(document, "parcel"));
  const Parcel fast = rowFrom<Parcel>(DomCursor(parser.parse(text), "parcel"));
  for (const Parcel& read : {slow, fast}) {
    CHECK(keyOf(read) == keyOf(kParcel));
    CHECK(read.stamp == 7U);
    CHECK(read.weight == 3);
  }
}

TEST_CASE("a field that is not of the description is left out at both cursors, a missing one stops them") {
  simdjson::dom::parser parser;
  const auto fast = [&parser](const char* text) {
    return rowFrom<Parcel>(DomCursor(parser.parse(std::string_view(text)), "parcel"));
  };
  CHECK(fast(R"({"to":"b","more":[1],"phase":"other","weight":1})").to == "b");
  CHECK_THROWS(fast(R"({"to":"b","weight":1})"));
  CHECK_THROWS(rowFrom<Parcel>(JsonCursor(nlohmann::json::parse(R"({"to":"b","weight":1})"), "parcel")));
}

TEST_CASE("rows are found again by the described key") {
  std::map<decltype(keyOf(kParcel)), const Parcel*> rows;
  const Parcel other{"a", Phase::kForward, false, 7, 3};
  const Parcel heavier{"a", Phase::kForward, true, {}, 9};
  rows.emplace(keyOf(kParcel), &kParcel);
  CHECK(rows.count(keyOf(heavier)) == 1);
  CHECK(rows.count(keyOf(other)) == 0);
}

} // namespace
} // namespace commtap
