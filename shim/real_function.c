/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */

#define _GNU_SOURCE
#include "shim/real_function.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* Weak, since musl lacks it. musl's loader accepts libc.so.6 as its own name, so it preloads this library into musl's
 * programs, and an undefined symbol would end them. */
#pragma weak dlvsym

/* Searches the libraries behind this one. */
static void* symbol_behind(const char* symbol, const char* version) {
  if (version == NULL) {
    return dlsym(RTLD_NEXT, symbol);
  }
  return dlvsym == NULL ? NULL : dlvsym(RTLD_NEXT, symbol, version);
}

/* Searches the loaded library `name` and its dependencies. */
static void* symbol_in(const char* name, const char* symbol) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  void* found = library == NULL ? NULL : dlsym(library, symbol);
  if (library != NULL) {
    dlclose(library);
  }
  return found;
}

/* Returns the address at which the library of an address is loaded; 0 if it is in none. */
static uintptr_t library_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 ? 0 : (uintptr_t)info.dli_fbase;
}

/* Searches the libraries loaded after this one. One before it, which another preload put there, may be the caller: it
 * looks behind itself and would be called again. `ours` is that library's function then, so this library's own is
 * recognized by its place. */
static void* symbol_anywhere(const char* symbol, const void* ours) {
  const uintptr_t own = library_of((const void*)&commtap_resolve);
  void* found = NULL;
  struct link_map* library = NULL;
  bool is_behind = false;
  void* self = dlopen(NULL, RTLD_LAZY);
  if (self != NULL && dlinfo(self, RTLD_DI_LINKMAP, (void*)&library) == 0) {
    for (; library != NULL && found == NULL; library = library->l_next) {
      found = is_behind ? symbol_in(library->l_name, symbol) : NULL;
      found = found == ours || (found != NULL && library_of(found) == own) ? NULL : found;
      is_behind = is_behind || library->l_addr == own;
    }
  }
  if (self != NULL) {
    dlclose(self);
  }
  return found;
}

/* RTLD_NEXT does not find what a Python job's torch loads, which is not in the global scope. A library may also have an
 * unusual name. The caller of `ours` is linked against some library that defines `symbol`, so the search ends there. */
void* commtap_resolve(const char* symbol, const char* version, const char* library, const void* ours) {
  const int saved_errno = errno;
  void* found = symbol_behind(symbol, version);
  if (found == NULL) {
    found = symbol_in(library, symbol);
  }
  if (found == NULL && version == NULL) {
    found = symbol_anywhere(symbol, ours);
  }
  dlerror(); /* clears a failure of the shim, which is not the job's */
  errno = saved_errno;
  return found;
}
