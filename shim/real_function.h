/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMTAP_SHIM_REAL_FUNCTION_H
#define COMMTAP_SHIM_REAL_FUNCTION_H

#include <stddef.h>

/* The function that `ours` stands in front of. `library`: where it usually is. NULL if no library that is loaded has
 * one. errno and dlerror() stay as found. */
void* commtap_resolve(const char* symbol, const char* library, const void* ours);

/* The function of this version that `library` has, or else any library after this one. Of two libraries that have the
 * symbol, each under its own version, it is the right one's. */
void* commtap_resolve_version(const char* symbol, const char* library);

/* commtap_resolve, looked for once: `slot` keeps what was found. */
static inline void* commtap_real(void** slot, const char* symbol, const char* library, const void* ours) {
  void* real = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (__builtin_expect(real == NULL, 0)) {
    real = commtap_resolve(symbol, library, ours);
    __atomic_store_n(slot, real, __ATOMIC_RELAXED);
  }
  return real;
}

/* Likewise of a symbol whose version has its library's name. */
static inline void* commtap_real_version(void** slot, const char* symbol, const char* library) {
  void* real = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (__builtin_expect(real == NULL, 0)) {
    real = commtap_resolve_version(symbol, library);
    __atomic_store_n(slot, real, __ATOMIC_RELAXED);
  }
  return real;
}

#endif
