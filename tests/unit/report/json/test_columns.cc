// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/columns.h"

#include <doctest/doctest.h>

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
  checkColumns<NcclOpenCall>();
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

} // namespace
} // namespace commtap
