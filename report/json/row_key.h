// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "report/json/columns.h"

namespace commtap {

/// The key of a row: the columns whose description has `.key = true`, in the order of the columns.

namespace row_key {

/// Returns the part of column `kIndex` as a tuple of one; an empty tuple for a column outside of the key.
template <typename Row, size_t kIndex, typename PartOf>
constexpr auto part(const PartOf& partOf) {
  constexpr const auto& kColumn = std::get<kIndex>(kColumns<Row>);
  if constexpr (kColumn.facts.key) {
    return std::tuple<decltype(partOf(kColumn))>(partOf(kColumn));
  } else {
    return std::tuple<>();
  }
}

template <typename Row, typename PartOf, size_t... kIndex>
constexpr auto parts(const PartOf& partOf, std::index_sequence<kIndex...> /*columns*/) {
  // Braces, because the arguments of a function are evaluated in any order.
  const std::tuple<decltype(part<Row, kIndex>(partOf))...> ordered{part<Row, kIndex>(partOf)...};
  return std::apply([](const auto&... each) { return std::tuple_cat(each...); }, ordered);
}

} // namespace row_key

/// Calls partOf(column) for each column of the key, in order, and returns the results as a tuple. A reference stays
/// one.
template <Described Row, typename PartOf>
constexpr auto keyParts(const PartOf& partOf) {
  constexpr size_t kCount = std::tuple_size_v<std::remove_cv_t<decltype(kColumns<Row>)>>;
  return row_key::parts<Row>(partOf, std::make_index_sequence<kCount>());
}

/// Returns the row's key: references to its members.
template <Described Row>
constexpr auto keyOf(const Row& row) {
  return keyParts<Row>([&row](const auto& column) -> const auto& { return row.*column.member; });
}

/// Sets each member of `row` that is part of the key: calls set(member, part) with the part of `key` at its place.
template <Described Row, typename Key, typename Set>
void setKey(Row& row, const Key& key, const Set& set) {
  const auto members = keyParts<Row>([&row](const auto& column) -> auto& { return row.*column.member; });
  static_assert(std::tuple_size_v<decltype(members)> == std::tuple_size_v<Key>);
  [&]<size_t... kIndex>(std::index_sequence<kIndex...> /*parts*/) {
    (set(std::get<kIndex>(members), std::get<kIndex>(key)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Key>>());
}

/// Returns the position of a column in the key. Throws, and so does not compile, for a column outside of it.
template <Described Row>
consteval size_t keyIndex(std::string_view name) {
  size_t index = 0;
  bool is_found = false;
  forEachColumn<Row>([&](const auto& column) {
    is_found = is_found || (column.facts.key && column.name == name);
    index += column.facts.key && !is_found ? 1 : 0;
  });
  return is_found ? index : throw std::logic_error("not a column of the key");
}

/// Returns the names of the columns of the key.
template <Described Row>
std::vector<std::string_view> keyNames() {
  std::vector<std::string_view> names;
  forEachColumn<Row>([&names](const auto& column) {
    if (column.facts.key) {
      names.emplace_back(column.name);
    }
  });
  return names;
}

} // namespace commtap
