// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/temporary_folder.h"

#include <doctest/doctest.h>

#include <optional>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("a temporary folder is removed with its files once its last owner goes") {
  const TempFolder parent;
  std::optional<TemporaryFolder> last;
  {
    TemporaryFolder first(parent / "work");
    REQUIRE(first.path().starts_with(parent / "work-"));
    writeText(first.path() + "/file", "x");
    last.emplace(std::move(first));
  }
  CHECK(std::filesystem::exists(last->path() + "/file"));
  last.reset();
  CHECK(std::filesystem::is_empty(parent.path()));
}

TEST_CASE("a temporary folder that cannot be made has no path") {
  const TempFolder parent;
  CHECK(TemporaryFolder(parent / "none/work").path().empty());
}

} // namespace
} // namespace commtap
