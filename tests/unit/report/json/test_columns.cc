// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/columns.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/model/vocabulary.h"

namespace commtap {
namespace {

template <Described Row>
void checkColumns() {
  std::set<std::string> names;
  forEachColumn<Row>([&names](const auto& column) {
    using Value = std::remove_cvref_t<decltype(std::declval<Row>().*column.member)>;
    CAPTURE(column.name);
    CHECK(names.insert(column.name).second);
    const bool has_help_by_type = NamedEnum<Value> || column.facts.ref != nullptr;
    const std::string_view help = column.help;
    CHECK((has_help_by_type || help.ends_with('.')));
  });
}

TEST_CASE("columns: each field of a report has one name and a sentence") {
  checkColumns<Job>();
  checkColumns<Group>();
  checkColumns<Module>();
  checkColumns<Parameter>();
  checkColumns<Collective>();
  checkColumns<Durations>();
  checkColumns<Operation>();
  checkColumns<Step>();
  checkColumns<StepAmount>();
  checkColumns<LastCollective>();
  checkColumns<NcclCommunicator>();
  checkColumns<NcclCall>();
  checkColumns<EnteredCall>();
  checkColumns<CudaGraph>();
  checkColumns<GraphCollective>();
  checkColumns<GraphNcclCall>();
  checkColumns<OwnCost>();
  checkColumns<NotSeenEntry>();
}

struct Plain {};

TEST_CASE("columns: a type without kColumns is not Described") {
  CHECK(Described<Collective>);
  CHECK_FALSE(Described<Plain>);
}

TEST_CASE("columns: optional values, nullable formats and fields that are not always written may be null") {
  CHECK(mayBeNull(column("a", &Job::rank, "")));
  CHECK(mayBeNull(column<NullIfEmpty>("a", &Job::torch_version, "")));
  CHECK(mayBeNull(column("a", &Collective::async_op, "")));
  CHECK(mayBeNull(column("a", &Job::attempt, "", {.presence = Presence::kIfKnown})));
  CHECK_FALSE(mayBeNull(column("a", &Job::host, "")));
}

struct Parcel {
  std::string to;
  uint64_t weight = 0;
  bool fragile = false;
};

} // namespace

template <>
inline constexpr auto kColumns<Parcel> = std::tuple{
    column("to", &Parcel::to, "Where it goes.", {.key = true}),
    column("weight", &Parcel::weight, "Its weight."),
    column("fragile", &Parcel::fragile, "Whether it breaks.", {.key = true}),
};

namespace {

TEST_CASE("row_key: rows have one key if they differ only in columns outside of it") {
  const Parcel parcel{"a", 1, true};
  CHECK(keyOf(parcel) == keyOf(Parcel{"a", 2, true}));
  CHECK(keyOf(parcel) != keyOf(Parcel{"b", 1, true}));
  CHECK(keyOf(parcel) != keyOf(Parcel{"a", 1, false}));
  CHECK(keyOf(parcel) == std::tuple(std::string("a"), true));
  CHECK(&std::get<0>(keyOf(parcel)) == &parcel.to);
}

TEST_CASE("row_key: the parts of a key can be others than the members, and set the members of another row") {
  const Parcel parcel{"four", 1, true};
  const auto key = keyParts<Parcel>([&parcel](const auto& column) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(parcel.*column.member)>, std::string>) {
      return (parcel.*column.member).size();
    } else {
      return parcel.*column.member;
    }
  });
  CHECK(key == std::tuple(size_t{4}, true));
  Parcel other;
  setKey(other, key, [](auto& member, const auto& part) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::string>) {
      member = std::string(part, 'x');
    } else {
      member = part;
    }
  });
  CHECK(other.to == "xxxx");
  CHECK(other.fragile);
}

TEST_CASE("row_key: the names are those of the columns") {
  CHECK(keyNames<Parcel>() == std::vector<std::string_view>{"to", "fragile"});
  CHECK(keyNames<Operation>() == std::vector<std::string_view>{"module", "phase", "op", "dtensor"});
  CHECK(keyNames<NotSeenEntry>().empty());
  CHECK(keyIndex<Parcel>("fragile") == 1);
}

} // namespace
} // namespace commtap
