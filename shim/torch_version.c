/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "shim/torch_version.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kPathMax = 4096, kFileMax = 4096 };

struct FoundPath {
  char* path;
  size_t size;
};

static int is_libtorch(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  static const char kName[] = "libtorch_cpu.so";
  const struct FoundPath* found = data;
  const char* slash = strrchr(object->dlpi_name, '/');
  if (slash == NULL || strcmp(slash + 1, kName) != 0) {
    return 0;
  }
  return snprintf(found->path, found->size, "%s", object->dlpi_name) < (int)found->size;
}

bool commtap_find_libtorch(char* path, size_t size) {
  struct FoundPath found = {path, size};
  return dl_iterate_phdr(is_libtorch, &found) != 0;
}

/* The start of a small file, as text. */
static bool read_start(const char* path, char* text, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return false;
  }
  const ssize_t count = read(fd, text, size - 1);
  close(fd);
  if (count <= 0) {
    return false;
  }
  text[count] = '\0';
  return true;
}

/* "2.13.0+cpu" at the start of `text`, up to a quote or white space. */
static bool parse_version(const char* text, struct commtap_torch_version* version) {
  const size_t length = strcspn(text, "'\" \t\r\n");
  int major = 0;
  int minor = 0;
  if (length == 0 || length >= sizeof(version->full) || sscanf(text, "%d.%d", &major, &minor) != 2) {
    return false;
  }
  memcpy(version->full, text, length);
  version->full[length] = '\0';
  return snprintf(version->minor, sizeof(version->minor), "%d.%d", major, minor) < (int)sizeof(version->minor);
}

static bool read_version_py(const char* folder, struct commtap_torch_version* version) {
  char path[kPathMax];
  char text[kFileMax];
  static const char kKey[] = "__version__ = ";
  if (snprintf(path, sizeof(path), "%s/../version.py", folder) >= (int)sizeof(path) ||
      !read_start(path, text, sizeof(text))) {
    return false;
  }
  const char* key = strstr(text, kKey);
  return key != NULL && parse_version(key + sizeof(kKey), version); /* sizeof counts the opening quote's place */
}

static bool read_build_version(const char* folder, struct commtap_torch_version* version) {
  char path[kPathMax];
  char text[kFileMax];
  return snprintf(path, sizeof(path), "%s/../build-version", folder) < (int)sizeof(path) &&
         read_start(path, text, sizeof(text)) && parse_version(text, version);
}

bool commtap_read_torch_version(struct commtap_torch_version* version) {
  char folder[kPathMax];
  if (!commtap_find_libtorch(folder, sizeof(folder))) {
    return false;
  }
  *strrchr(folder, '/') = '\0';
  return read_version_py(folder, version) || read_build_version(folder, version);
}
