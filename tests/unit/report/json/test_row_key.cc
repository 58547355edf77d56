// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/columns.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "report/json/process_columns.h"
#include "report/json/row_columns.h"

namespace commtap {
namespace {

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
