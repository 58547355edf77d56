/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_REAL_FUNCTION_H
#define COMMTAP_SHIM_REAL_FUNCTION_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the function `symbol` that `ours` interposes; NULL if no loaded library has it. Looks in the libraries behind
 * this one, then in `library`, where it usually is. Without a `version`, looks in every library loaded after this one
 * last. `version` selects the library if two define the symbol under versions of their own. errno and dlerror() stay as
 * found. */
void* commtap_resolve(const char* symbol, const char* version, const char* library, const void* ours);

/* Returns commtap_resolve()'s result and keeps it in `slot`, so that the search runs once. */
static inline void*
commtap_real(void** slot, const char* symbol, const char* version, const char* library, const void* ours) {
  void* real = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (__builtin_expect(real == NULL, 0)) {
    real = commtap_resolve(symbol, version, library, ours);
    __atomic_store_n(slot, real, __ATOMIC_RELAXED);
  }
  return real;
}

#ifdef __cplusplus
}
#endif

#endif
