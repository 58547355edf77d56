// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

/// Declares nlohmann's parser and writer as compiled elsewhere, in json_instances.cc: each source that reads or writes
/// JSON would else compile them again. Precompiled headers include it, for the build's speed alone.
#define COMMTAP_JSON_PARSER(linkage, Json, Iterator)                                                        \
  linkage template class nlohmann::detail::lexer<Json, nlohmann::detail::iterator_input_adapter<Iterator>>; \
  linkage template class nlohmann::detail::parser<Json, nlohmann::detail::iterator_input_adapter<Iterator>>;

#define COMMTAP_JSON_INSTANCES(linkage, Json)                                  \
  linkage template class nlohmann::detail::serializer<Json>;                   \
  linkage template class nlohmann::detail::json_sax_dom_parser<Json>;          \
  linkage template class nlohmann::detail::json_sax_dom_callback_parser<Json>; \
  COMMTAP_JSON_PARSER(linkage, Json, std::string::const_iterator)              \
  COMMTAP_JSON_PARSER(linkage, Json, const char*)

COMMTAP_JSON_INSTANCES(extern, nlohmann::json)
COMMTAP_JSON_INSTANCES(extern, nlohmann::ordered_json)
