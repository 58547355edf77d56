/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "shim/trusted_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kPathMax = 4096 };

struct Loaded {
  struct stat file;
  struct stat folder;
};

/* stat(), or with AT_SYMLINK_NOFOLLOW lstat(). As a system call where the kernel's struct stat is libc's: glibc before
 * 2.33 has no function of these names (old_glibc.h). */
static bool read_status(const char* path, int flags, struct stat* status) {
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
  return syscall(SYS_newfstatat, AT_FDCWD, path, status, flags) == 0;
#else
  return fstatat(AT_FDCWD, path, status, flags) == 0;
#endif
}

static bool is_owner_trusted(const struct stat* file, const struct Loaded* loaded) {
  return file->st_uid == 0 || file->st_uid == geteuid() || file->st_uid == loaded->file.st_uid;
}

static bool is_group_of(const struct stat* file, const struct stat* other) {
  return file->st_gid == other->st_gid && (other->st_mode & S_IWGRP) != 0;
}

/* A group may write to the file if it may write to the library or its folder: a team may share an installation. */
static bool is_closed_to_others(const struct stat* file, const struct Loaded* loaded) {
  return (file->st_mode & S_IWOTH) == 0 &&
         ((file->st_mode & S_IWGRP) == 0 || is_group_of(file, &loaded->file) || is_group_of(file, &loaded->folder));
}

/* Checks a symbolic link and its target. */
static bool is_entry_trusted(const char* path, const struct Loaded* loaded) {
  struct stat entry;
  struct stat target;
  return read_status(path, AT_SYMLINK_NOFOLLOW, &entry) && is_owner_trusted(&entry, loaded) &&
         read_status(path, 0, &target) && is_owner_trusted(&target, loaded) && is_closed_to_others(&target, loaded);
}

/* Checks every entry of the path below the folder of this length. Cuts `entry`, a copy of the path, back to it. */
static bool are_entries_trusted(char* entry, size_t folder_length, const struct Loaded* loaded) {
  while (strlen(entry) > folder_length) {
    if (!is_entry_trusted(entry, loaded)) {
      return false;
    }
    *strrchr(entry, '/') = '\0';
  }
  return true;
}

static bool read_loaded(const char* library, size_t folder_length, struct Loaded* loaded) {
  char folder[kPathMax];
  return snprintf(folder, sizeof(folder), "%.*s/", (int)folder_length, library) < (int)sizeof(folder) &&
         read_status(library, 0, &loaded->file) && read_status(folder, 0, &loaded->folder);
}

bool commtap_is_private(const char* path, bool is_file) {
  struct stat entry;
  return read_status(path, AT_SYMLINK_NOFOLLOW, &entry) &&
         (is_file ? S_ISREG(entry.st_mode) : S_ISDIR(entry.st_mode)) && entry.st_uid == geteuid() &&
         (entry.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

const char* commtap_load_refusal(const char* path, const char* library) {
  char entry[kPathMax];
  struct stat file;
  struct Loaded loaded;
  const char* end = strrchr(library, '/');
  if (!read_status(path, 0, &file) || !S_ISREG(file.st_mode)) {
    return "it is not a regular file: install all files of commtap again";
  }
  if (end == NULL || !read_loaded(library, (size_t)(end - library), &loaded) ||
      snprintf(entry, sizeof(entry), "%s", path) >= (int)sizeof(entry) ||
      !are_entries_trusted(entry, (size_t)(end - library), &loaded)) {
    return "another user may have put it there: install commtap where only you or root can write";
  }
  return NULL;
}
