/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE
#include "shim/real_function.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

/* Weak, since musl has none. Its loader takes this library's libc.so.6 for itself and preloads it into musl's programs,
 * and a symbol that it cannot find there would end them. */
#pragma weak dlvsym

/* In the next library after this one. */
static void* symbol_behind(const char* symbol, const char* version) {
  if (version == NULL) {
    return dlsym(RTLD_NEXT, symbol);
  }
  return dlvsym == NULL ? NULL : dlvsym(RTLD_NEXT, symbol, version);
}

/* In the scope of the one library `name`, already loaded, and what it depends on. */
static void* symbol_in(const char* name, const char* symbol) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  void* found = library == NULL ? NULL : dlsym(library, symbol);
  if (library != NULL) {
    dlclose(library);
  }
  return found;
}

/* In any library that is loaded. */
static void* symbol_anywhere(const char* symbol, const void* ours) {
  void* found = NULL;
  struct link_map* library = NULL;
  void* self = dlopen(NULL, RTLD_LAZY);
  if (self != NULL && dlinfo(self, RTLD_DI_LINKMAP, (void*)&library) == 0) {
    for (; library != NULL && (found == NULL || found == ours); library = library->l_next) {
      found = symbol_in(library->l_name, symbol);
    }
  }
  if (self != NULL) {
    dlclose(self);
  }
  return found == ours ? NULL : found;
}

/* A Python job's torch, and what it brings, is not in the global scope, so that RTLD_NEXT does not find it; nor must a
 * library have its usual name. Whoever came to `ours` through `symbol` has it from some library. */
void* commtap_resolve(const char* symbol, const char* version, const char* library, const void* ours) {
  const int saved_errno = errno;
  void* found = symbol_behind(symbol, version);
  if (found == NULL) {
    found = symbol_in(library, symbol);
  }
  if (found == NULL && version == NULL) {
    found = symbol_anywhere(symbol, ours);
  }
  dlerror(); /* a failure of ours is not the job's */
  errno = saved_errno;
  return found;
}
