/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "shim/built_tracker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/trusted_file.h"

enum { kPathMax = 4096, kOwnEntries = 3 }; /* the file, trackers-VERSION and commtap */

bool commtap_built_tracker_path(const char* torch, char* path, size_t size) {
  const char* cache = getenv("XDG_CACHE_HOME");
  const char* home = getenv("HOME");
  const bool has_cache = cache != NULL && cache[0] == '/';
  if (strchr(torch, '/') != NULL || (!has_cache && (home == NULL || home[0] != '/'))) {
    return false;
  }
  return snprintf(
             path,
             size,
             "%s%s/commtap/trackers-" COMMTAP_VERSION "/libcommtap-tracker-%s.so",
             has_cache ? cache : home,
             has_cache ? "" : "/.cache",
             torch) < (int)size;
}

const char* commtap_built_tracker_refusal(const char* path) {
  char entry[kPathMax];
  if (snprintf(entry, sizeof(entry), "%s", path) >= (int)sizeof(entry)) {
    return "its path is too long";
  }
  for (int i = 0; i < kOwnEntries; ++i) {
    char* end = strrchr(entry, '/');
    if (end == NULL || !commtap_is_private(entry, i == 0)) {
      return "it or a folder above it is not yours alone: remove it, and run `commtap build-tracker` again";
    }
    *end = '\0';
  }
  return NULL;
}

bool commtap_find_built_tracker(const char* torch, char* path, size_t size) {
  return commtap_built_tracker_path(torch, path, size) && access(path, R_OK) == 0 &&
         commtap_built_tracker_refusal(path) == NULL;
}
