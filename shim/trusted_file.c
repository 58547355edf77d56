/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "shim/trusted_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kPathMax = 4096 };

static bool is_owner_trusted(const struct stat* file, const struct stat* library) {
  return file->st_uid == 0 || file->st_uid == geteuid() || file->st_uid == library->st_uid;
}

/* A group may write where it may write to the library too, as where a team shares an installation. */
static bool is_closed_to_others(const struct stat* file, const struct stat* library) {
  const bool same_group = file->st_gid == library->st_gid && (library->st_mode & S_IWGRP) != 0;
  return (file->st_mode & S_IWOTH) == 0 && ((file->st_mode & S_IWGRP) == 0 || same_group);
}

/* A link is as good as whoever made it, and as what it leads to. */
static bool is_entry_trusted(const char* path, const struct stat* library) {
  struct stat entry;
  struct stat target;
  return lstat(path, &entry) == 0 && is_owner_trusted(&entry, library) && stat(path, &target) == 0 &&
         is_owner_trusted(&target, library) && is_closed_to_others(&target, library);
}

bool commtap_is_trusted(const char* path, const char* library) {
  char entry[kPathMax];
  struct stat loaded;
  const char* end = strrchr(library, '/');
  if (end == NULL || stat(library, &loaded) != 0 || snprintf(entry, sizeof(entry), "%s", path) >= (int)sizeof(entry)) {
    return false;
  }
  const size_t folder_length = (size_t)(end - library);
  while (strlen(entry) > folder_length) {
    if (!is_entry_trusted(entry, &loaded)) {
      return false;
    }
    *strrchr(entry, '/') = '\0';
  }
  return true;
}
