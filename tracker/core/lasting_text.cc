// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/lasting_text.h"

#include <mutex>
#include <new>
#include <string>
#include <unordered_set>

namespace commtap {
namespace {

struct Texts {
  std::mutex mutex;
  std::unordered_set<std::string> all;
};

Texts& texts() {
  static auto* instance = new Texts(); // leaked: the job holds pointers into it
  return *instance;
}

} // namespace

const char* lastingText(std::string_view text) {
  if (text.empty()) {
    return "";
  }
  const std::lock_guard<std::mutex> lock(texts().mutex);
  return texts().all.emplace(text).first->c_str();
}

ForkLock lastingTextForkLock() {
  return {&texts().mutex, [] { new (&texts()) Texts(); }, "texts at a fork"};
}

} // namespace commtap
