// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "shim/nccl_kernels.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "tests/unit/shim/loaded_tables.h"

namespace commtap {
namespace {

std::vector<std::pair<void*, uint64_t>>& ran() {
  static std::vector<std::pair<void*, uint64_t>> instance;
  return instance;
}

const commtap_nccl* kernelTable() {
  static commtap_nccl table{};
  table.ran = [](void* timer, uint64_t ns) { ran().emplace_back(timer, ns); };
  ran().clear();
  return &table;
}

using Runs = std::vector<std::pair<void*, uint64_t>>;

int first_timer;
int second_timer;

TEST_CASE("a call runs from its first channel's begin to its last one's end") {
  const LoadedTables loaded({nullptr, nullptr, kernelTable(), nullptr});
  const commtap_kernels kernels = commtap_kernels_expected(&first_timer);
  commtap_kernels_enqueued(kernels, 2);
  commtap_kernel_begins(kernels, 120);
  commtap_kernel_begins(kernels, 100);
  commtap_kernel_ends(kernels, 400);
  CHECK(ran().empty());
  commtap_kernel_ends(kernels, 300);
  CHECK(ran() == Runs{{&first_timer, 300}});
  commtap_kernel_ends(kernels, 900);
  CHECK(ran().size() == 1);
}

TEST_CASE("a number that no call has is ignored") {
  const LoadedTables loaded({nullptr, nullptr, kernelTable(), nullptr});
  const commtap_kernels kernels = commtap_kernels_expected(&first_timer);
  for (const commtap_kernels other : {commtap_kernels{0}, kernels + 1, kernels + 1024}) {
    commtap_kernels_enqueued(other, 1);
    commtap_kernel_ends(other, 100);
  }
  CHECK(ran().empty());
  commtap_kernels_forget();
}

TEST_CASE("a call whose slot another call needs has no known time, and its late reports do no harm") {
  const LoadedTables loaded({nullptr, nullptr, kernelTable(), nullptr});
  const commtap_kernels kernels = commtap_kernels_expected(&first_timer);
  commtap_kernels_enqueued(kernels, 1);
  commtap_kernels last = 0;
  for (int i = 0; i < 1024; ++i) {
    last = commtap_kernels_expected(&second_timer);
  }
  CHECK(ran() == Runs{{&first_timer, 0}});
  commtap_kernel_ends(kernels, 500);
  commtap_kernels_enqueued(last, 1);
  commtap_kernel_begins(last, 10);
  commtap_kernel_ends(last, 30);
  CHECK(ran() == Runs{{&first_timer, 0}, {&second_timer, 20}});
  commtap_kernels_forget();
}

TEST_CASE("the child of a fork forgets the parent's calls") {
  const LoadedTables loaded({nullptr, nullptr, kernelTable(), nullptr});
  const commtap_kernels kernels = commtap_kernels_expected(&first_timer);
  commtap_kernels_enqueued(kernels, 1);
  commtap_kernels_forget();
  commtap_kernel_ends(kernels, 100);
  CHECK(ran().empty());
}

} // namespace
} // namespace commtap
