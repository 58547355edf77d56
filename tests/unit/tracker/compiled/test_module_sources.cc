// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/compiled/module_sources.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a source is split at the object that it begins with") {
  struct Case {
    const char* source;
    const char* path;
    bool is_entry;
  };
  for (const Case& each : {
           Case{"L['self']", "", true},
           Case{"L['self'].layers.0.down", "layers.0.down", true},
           Case{"L['self'].layers[0].down", "layers.0.down", true},
           Case{"L['self'].experts['a.b'].w", "experts.a.b.w", true},
           Case{"L['self'].__dict__['_modules']['_orig'].fc", "_orig.fc", true},
           Case{"L['self']._modules['layers']._modules['0'].fc", "layers.0.fc", true},
           Case{"L['model']", "", false},
           Case{"L['model'].layers.1", "layers.1", false},
           Case{"G['net'].down", "down", false},
           Case{"L['f'].__closure__[0].cell_contents.layers.1", "layers.1", false},
           Case{"L['f'].__closure__[0].cell_contents.__closure__[2].cell_contents", "", false},
           Case{"L['fn'].__self__.1", "1", false},
           Case{"L['f'].__closure__[0].cell_contents.__self__", "", false},
           Case{"layers.0.down", "layers.0.down", true},
           Case{"", "", true},
       }) {
    CAPTURE(each.source);
    CHECK(partsOf(each.source).path == each.path);
    CHECK(partsOf(each.source).is_entry == each.is_entry);
  }
}

TEST_CASE("a source begins with a variable, or with what the function in it holds") {
  CHECK(partsOf("L['model'].layers.1").root == "L['model']");
  CHECK(partsOf("L['fn'].__self__.1").root == "L['fn'].__self__");
  CHECK(partsOf("L['f'].__closure__[0].cell_contents.layers").root == "L['f'].__closure__[0].cell_contents");
}

TEST_CASE("a damaged source ends") {
  for (const char* const source :
       {"L[", "L['f'].__closure__[0]", "L['self'", "L['self'].", "L['self'].a[", "a..b", "[", "L['self'].a[''"}) {
    CAPTURE(source);
    CHECK(partsOf(source).path.size() <= 20);
  }
}

} // namespace
} // namespace commtap
