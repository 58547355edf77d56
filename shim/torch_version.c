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

static int take(const char* path, const struct FoundPath* found) {
  return snprintf(found->path, found->size, "%s", path) < (int)found->size;
}

static int is_libtorch(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  static const char kName[] = "libtorch_cpu.so";
  const char* slash = strrchr(object->dlpi_name, '/');
  return slash != NULL && strcmp(slash + 1, kName) == 0 && take(object->dlpi_name, data);
}

bool commtap_find_libtorch(char* path, size_t size) {
  struct FoundPath found = {.path = path, .size = size};
  return dl_iterate_phdr(is_libtorch, &found) != 0;
}

bool commtap_is_torchs_module(const char* path) {
  static const char kFolder[] = "/torch/";
  const size_t folder_size = sizeof(kFolder) - 1;
  const char* slash = strrchr(path, '/');
  return slash != NULL && strncmp(slash + 1, "_C.", 3) == 0 && (size_t)(slash + 1 - path) >= folder_size &&
         strncmp(slash + 1 - folder_size, kFolder, folder_size) == 0;
}

static int is_module(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  return commtap_is_torchs_module(object->dlpi_name) && take(object->dlpi_name, data);
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

bool commtap_parse_torch_version(const char* text, struct commtap_torch_version* version) {
  if (!copy(version->full, sizeof(version->full), text, strcspn(text, "'\" \t\r\n")) ||
      !copy(version->minor, sizeof(version->minor), text, minor_version_length(text))) {
    return false;
  }
  version->is_release = is_release(version->full + strlen(version->minor));
  return true;
}

static bool read_start_in(const char* folder, const char* name, char* text, size_t size) {
  char path[kPathMax];
  return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) && read_start(path, text, size);
}

/* Parses what follows `key` in the file `folder`/`name`. */
static bool read_version(const char* folder, const char* name, const char* key, struct commtap_torch_version* version) {
  char text[kFileMax];
  const char* found = read_start_in(folder, name, text, sizeof(text)) ? strstr(text, key) : NULL;
  return found != NULL &&
         commtap_parse_torch_version(found + strlen(key) + strspn(found + strlen(key), "'\""), version);
}

/* Returns the text in the quotes that a line of Python assigns to __version__, with or without a type; NULL if the line
 * assigns something else, or more than that. */
static const char* assigned_version(const char* line) {
  static const char kName[] = "__version__";
  if (strncmp(line, kName, sizeof(kName) - 1) != 0) {
    return NULL;
  }
  const char* rest = line + sizeof(kName) - 1;
  rest += strspn(rest, " \t");
  rest += *rest == ':' ? strcspn(rest, "=\n") : 0;
  if (*rest != '=') {
    return NULL;
  }
  rest += 1 + strspn(rest + 1, " \t");
  const char quotes[] = {*rest, '\n', '\0'};
  if (*rest != '\'' && *rest != '"') {
    return NULL;
  }
  const char* end = rest + 1 + strcspn(rest + 1, quotes);
  const bool ends_line = *end == *rest && strchr("\r\n#", end[1 + strspn(end + 1, " \t")]) != NULL;
  return ends_line ? rest + 1 : NULL;
}

static bool read_version_py(const char* folder, const char* name, struct commtap_torch_version* version) {
  char text[kFileMax];
  if (!read_start_in(folder, name, text, sizeof(text))) {
    return false;
  }
  for (const char* line = text; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n' ? 1 : 0;
    const char* found = assigned_version(line);
    if (found != NULL) {
      return commtap_parse_torch_version(found, version);
    }
  }
  return false;
}

/* Writes the folder of the loaded module torch._C. */
static bool find_package(char* folder, size_t size) {
  struct FoundPath found = {.path = folder, .size = size};
  if (dl_iterate_phdr(is_module, &found) == 0) {
    return false;
  }
  *strrchr(folder, '/') = '\0';
  return true;
}

/* A program in C++ has no module. CMake's file is above the libraries in every distribution, but lacks "+cpu". */
static bool read_cmake_version(const char* folder, struct commtap_torch_version* version) {
  return read_version(folder, "../share/cmake/Torch/TorchConfigVersion.cmake", "set(PACKAGE_VERSION ", version);
}

bool commtap_read_version_of_torch(const char* folder, const char* package, struct commtap_torch_version* version) {
  return read_version_py(folder, "../version.py", version) || read_version(folder, "../build-version", "", version) ||
         (package != NULL && read_version_py(package, "version.py", version)) || read_cmake_version(folder, version);
}

bool commtap_read_torch_version(struct commtap_torch_version* version) {
  char folder[kPathMax];
  char package[kPathMax];
  if (!commtap_find_libtorch(folder, sizeof(folder))) {
    return false;
  }
  *strrchr(folder, '/') = '\0';
  const bool has_package = find_package(package, sizeof(package));
  return commtap_read_version_of_torch(folder, has_package ? package : NULL, version);
}
