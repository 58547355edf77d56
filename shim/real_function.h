/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_REAL_FUNCTION_H
#define COMMTAP_SHIM_REAL_FUNCTION_H

#include <stddef.h>

/* The function that `ours` stands in front of, in the next library that has it or in `library`, where it usually is;
 * of symbols without a version, in any. `version`: of the symbol, so that of two libraries that have it, each under its
 * own version, it is the right one's; NULL: it has none. NULL if no library that is loaded has one. errno and dlerror()
 * stay as found. */
void* commtap_resolve(const char* symbol, const char* version, const char* library, const void* ours);

/* Likewise, looked for once: `slot` keeps what was found. */
static inline void*
commtap_real(void** slot, const char* symbol, const char* version, const char* library, const void* ours) {
  void* real = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (__builtin_expect(real == NULL, 0)) {
    real = commtap_resolve(symbol, version, library, ours);
    __atomic_store_n(slot, real, __ATOMIC_RELAXED);
  }
  return real;
}

#endif
