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
  struct FoundPath found = {.path = path, .size = size};
  return dl_iterate_phdr(is_libtorch, &found) != 0;
}

/* Reads the start of a file as text. */
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

static const char kDigits[] = "0123456789";

/* Returns the length of "2.13" at the start of `text`; 0 if no version is there. */
static size_t minor_version_length(const char* text) {
  const size_t major = strspn(text, kDigits);
  const size_t minor = major == 0 || text[major] != '.' ? 0 : strspn(text + major + 1, kDigits);
  return minor == 0 ? 0 : major + 1 + minor;
}

static bool copy(char* to, size_t size, const char* from, size_t length) {
  if (length == 0 || length >= size) {
    return false;
  }
  memcpy(to, from, length);
  to[length] = '\0';
  return true;
}

/* Returns the text after `start` and at least one digit; NULL if `text` does not begin so. */
static const char* after_number(const char* text, const char* start) {
  const size_t length = strlen(start);
  const size_t digits = strncmp(text, start, length) == 0 ? strspn(text + length, kDigits) : 0;
  return digits == 0 ? NULL : text + length + digits;
}

/* `patch` is the version after the minor: ".0+cpu". */
static bool is_release(const char* patch) {
  const char* rest = after_number(patch, ".");
  if (rest == NULL) {
    return false;
  }
  const char* post = after_number(rest, ".post");
  rest = post == NULL ? rest : post;
  return rest[0] == '\0' || (rest[0] == '+' && rest[1] != '\0' && strncmp(rest + 1, "git", 3) != 0);
}

/* Parses "2.13.0+cpu" at the start of `text`, up to a quote or white space. */
static bool parse_version(const char* text, struct commtap_torch_version* version) {
  if (!copy(version->full, sizeof(version->full), text, strcspn(text, "'\" \t\r\n")) ||
      !copy(version->minor, sizeof(version->minor), text, minor_version_length(text))) {
    return false;
  }
  version->is_release = is_release(version->full + strlen(version->minor));
  return true;
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
  return key != NULL && parse_version(key + sizeof(kKey), version); /* sizeof includes the NUL: skips the quote */
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
