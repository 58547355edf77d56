// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/rank_ranges.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Ranks = std::vector<uint32_t>;

TEST_CASE("ranks are written as ranges, in their order") {
  CHECK(rangesText(Ranks{}).empty());
  CHECK(rangesText(Ranks{5}) == "5");
  CHECK(rangesText(Ranks{0, 1, 2, 3, 8}) == "0-3,8");
  CHECK(rangesText(Ranks{3, 0, 1, 2}) == "3,0-2");
  CHECK(rangesText(Ranks{2, 1, 0}) == "2,1,0");
  CHECK(rangesText(RankRanges{{0, 63}, {128, 128}}) == "0-63,128");
}

TEST_CASE("ranges are read again") {
  for (const Ranks& ranks : {Ranks{}, Ranks{5}, Ranks{0, 1, 2, 3, 8}, Ranks{3, 0, 1, 2}, Ranks{2, 1, 0}}) {
    CHECK(ranksFromText(rangesText(ranks)) == ranks);
  }
  CHECK(rangesFromText("0-63,128") == RankRanges{{0, 63}, {128, 128}});
  CHECK(countOf(*rangesFromText("0-63,128")) == 65);
}

TEST_CASE("other texts are no ranges") {
  for (const char* text : {" ", "a", "1-", "-1", "1,", ",1", "3-2", "1-2-3", "1 ,2", "0x1", "99999999", "0-4194304"}) {
    CAPTURE(text);
    CHECK_FALSE(rangesFromText(text));
    CHECK_FALSE(ranksFromText(text));
  }
}

} // namespace
} // namespace commtap
