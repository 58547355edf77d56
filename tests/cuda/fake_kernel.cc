// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernel of `commtap verify`, compiled for the host: a block has one thread, which is a warp of its own.

#include <cstdint>
#include <cstring>

#define __device__
#define __global__

namespace {

struct Place {
  unsigned x;
};
thread_local Place blockIdx{0};
thread_local Place gridDim{1};
constexpr Place threadIdx{0};
constexpr Place blockDim{1};

template <typename To, typename From>
To sameBits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

double __longlong_as_double(long long bits) {
  return sameBits<double>(bits);
}
float __uint_as_float(unsigned bits) {
  return sameBits<float>(bits);
}
unsigned __float_as_uint(float number) {
  return sameBits<unsigned>(number);
}
template <typename Number>
Number __shfl_down_sync(unsigned, Number, unsigned) {
  return 0; // no other thread has anything to add
}
int __any_sync(unsigned, int predicate) {
  return predicate;
}
template <typename Number>
void atomicAdd(Number* to, Number number) {
  *to += number;
}
void atomicOr(unsigned* to, unsigned bits) {
  *to |= bits;
}

} // namespace

namespace commtap {
namespace {

float halfToFloat(unsigned short bits) {
  constexpr unsigned kExponent = 0x1f;
  constexpr unsigned kMantissa = 0x3ff;
  const unsigned exponent = (bits >> 10U) & kExponent;
  const unsigned mantissa = bits & kMantissa;
  const float sign = (bits >> 15U) != 0 ? -1.0F : 1.0F;
  if (exponent == kExponent) {
    return __uint_as_float((__float_as_uint(sign) & 0x80000000U) | 0x7f800000U | (mantissa << 13U));
  }
  const unsigned scale = exponent == 0 ? 1 : exponent; // 2^(scale - 25), by the bits of the exponent
  const float unit = __uint_as_float((scale - 25 + 127) << 23U);
  return sign * unit * static_cast<float>(mantissa + (exponent == 0 ? 0 : kMantissa + 1));
}

} // namespace
} // namespace commtap

#include "tracker/verify/digest_kernel.cu"

extern "C" void fake_cuda_run_digests(void* const* arguments, unsigned blocks) {
  gridDim.x = blocks;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) {
    commtap::commtapDigests(
        static_cast<const commtap::DigestTensor*>(arguments[0]),
        static_cast<unsigned>(reinterpret_cast<uintptr_t>(arguments[1])),
        reinterpret_cast<uintptr_t>(arguments[2]),
        static_cast<commtap::DigestResult*>(arguments[3]));
  }
}
