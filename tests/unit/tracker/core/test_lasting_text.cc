// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/launch_environment.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

TEST_CASE("equal texts are one text that outlives them") {
  const char* kept = nullptr;
  {
    std::string text = "a text that is longer than a small string";
    kept = lastingText(text);
    text.assign(text.size(), 'x');
  }
  CHECK(std::string(kept) == "a text that is longer than a small string");
  CHECK(lastingText("a text that is longer than a small string") == kept);
  CHECK(lastingText("another text") != kept);
}

TEST_CASE("a text is cut off where its view ends; the empty one needs no lock") {
  const std::string_view view("all_reduce and more");
  CHECK(std::string(lastingText(view.substr(0, 10))) == "all_reduce");
  const ForkLock lock = lastingTextForkLock();
  const std::lock_guard<std::mutex> held(*lock.mutex);
  CHECK(std::string(lastingText("")).empty());
}

} // namespace
} // namespace commtap
