// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/core/thread_local_getter.h"

#include <array>
#include <cstring>

namespace commtap {
namespace {

constexpr size_t kLongestGetter = 32; ///< bytes that are looked at; a function's are padded to no less

/// Reads code from its start on.
class Code {
 public:
  explicit Code(std::span<const uint8_t> bytes) : rest_(bytes) {}

  template <size_t N>
  bool skip(const std::array<uint8_t, N>& expected) {
    if (rest_.size() < N || std::memcmp(rest_.data(), expected.data(), N) != 0) {
      return false;
    }
    rest_ = rest_.subspan(N);
    return true;
  }
  std::optional<int32_t> number() {
    int32_t value = 0;
    if (rest_.size() < sizeof(value)) {
      return std::nullopt;
    }
    std::memcpy(&value, rest_.data(), sizeof(value));
    rest_ = rest_.subspan(sizeof(value));
    return value;
  }
  /// A number that counts from the instruction after it.
  const uint8_t* address() {
    const std::optional<int32_t> distance = number();
    return distance ? rest_.data() + *distance : nullptr;
  }

 private:
  std::span<const uint8_t> rest_;
};

constexpr std::array<uint8_t, 4> kMakeRoom{0x48, 0x83, 0xec, 0x08};        // sub $8,%rsp
constexpr std::array<uint8_t, 3> kLoadArgument{0x48, 0x8d, 0x3d};          // lea N(%rip),%rdi
constexpr std::array<uint8_t, 1> kCall{0xe8};                              // call N
constexpr std::array<uint8_t, 3> kReadResult{0x48, 0x8b, 0x80};            // mov N(%rax),%rax
constexpr std::array<uint8_t, 5> kReturn{0x48, 0x83, 0xc4, 0x08, 0xc3};    // add $8,%rsp; ret
constexpr std::array<uint8_t, 2> kCallThrough{0xff, 0x15};                 // call *N(%rip)
constexpr std::array<uint8_t, 4> kCompareWithNull{0x48, 0x83, 0x38, 0x00}; // cmpq $0,(%rax)

/// `return variable;` of a variable that only its own source file sees.
std::optional<ThreadLocalAccess> decodeFileLocal(Code code) {
  if (!code.skip(kMakeRoom) || !code.skip(kLoadArgument)) {
    return std::nullopt;
  }
  const uint8_t* argument = code.address();
  const uint8_t* callee = argument != nullptr && code.skip(kCall) ? code.address() : nullptr;
  const std::optional<int32_t> offset =
      callee != nullptr && code.skip(kReadResult) ? code.number() : std::optional<int32_t>();
  if (!offset || !code.skip(kReturn)) {
    return std::nullopt;
  }
  return ThreadLocalAccess{callee, const_cast<uint8_t*>(argument), *offset};
}

/// `variable ? ... : ...` of a pointer that other source files see too.
std::optional<ThreadLocalAccess> decodeShared(Code code) {
  if (!code.skip(kMakeRoom) || !code.skip(kCallThrough)) {
    return std::nullopt;
  }
  const uint8_t* entry = code.address();
  if (entry == nullptr || !code.skip(kCompareWithNull)) {
    return std::nullopt;
  }
  ThreadLocalAccess access;
  std::memcpy(static_cast<void*>(&access.callee), entry, sizeof(access.callee));
  return access;
}

} // namespace

std::optional<ThreadLocalAccess> decodeThreadLocalGetter(std::span<const uint8_t> code) {
  const std::optional<ThreadLocalAccess> found = decodeFileLocal(Code(code));
  return found ? found : decodeShared(Code(code));
}

const void* threadLocalReadBy([[maybe_unused]] const void* getter) {
#ifdef __x86_64__
  using Locate = const char* (*)(void*);
  const std::optional<ThreadLocalAccess> access =
      decodeThreadLocalGetter({static_cast<const uint8_t*>(getter), kLongestGetter});
  if (access) { // what is called now is what the getter itself begins with
    return reinterpret_cast<Locate>(const_cast<void*>(access->callee))(access->argument) + access->offset;
  }
#endif
  return nullptr;
}

} // namespace commtap
