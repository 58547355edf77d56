/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "shim/tracker_file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim/say.h"

static bool is_in(const char* folder, const char* own, const char* minor, char* path, size_t size) {
  const int parent = (int)(strrchr(own, '/') - own);
  return snprintf(path, size, "%.*s/%s/libcommtap-tracker-%s.so", parent, own, folder, minor) < (int)size &&
         access(path, R_OK) == 0;
}

bool commtap_find_tracker(const char* own, const char* minor, char* path, size_t size) {
  const char* installed = "trackers";
  const char* built = "../tracker";
  if (is_in(installed, own, minor, path, size) || is_in(built, own, minor, path, size)) {
    return true;
  }
  return is_in(installed, own, minor, path, size); /* so that a message names this path */
}

/* The table that the library exports; NULL if it is not a tracker for this stub. */
static const struct commtap_tracker* table_of(void* library) {
  const struct commtap_tracker* (*table)(void) = NULL;
  *(void**)&table = dlsym(library, COMMTAP_TRACKER_SYMBOL);
  const struct commtap_tracker* tracker = table == NULL ? NULL : table();
  return tracker != NULL && tracker->abi == COMMTAP_ABI ? tracker : NULL;
}

const struct commtap_tracker* commtap_open_tracker(const char* path, const char* minor, bool any_torch) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    commtap_say(
        "%s cannot be loaded: %s: install the tracker for torch %s; " COMMTAP_NOT_COUNTED, path, dlerror(), minor);
    return NULL;
  }
  const struct commtap_tracker* tracker = table_of(library);
  if (tracker == NULL) {
    commtap_say(
        "%s is not a tracker of this version of commtap: install all files of commtap again; " COMMTAP_NOT_COUNTED,
        path);
    return NULL;
  }
  if (!any_torch && strcmp(tracker->torch_version, minor) != 0) {
    commtap_say(
        "torch %s is loaded: %s is built for torch %s: install the tracker for torch %s; " COMMTAP_NOT_COUNTED,
        minor,
        path,
        tracker->torch_version,
        minor);
    return NULL;
  }
  return tracker;
}
