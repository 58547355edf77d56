/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shim/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies `text` with control characters and bytes that are not ASCII as \x1b, so that it cannot control a terminal.
 * Ends early if it has no room. Returns the length of the copy. */
static size_t copy_inert(char* to, size_t size, const char* text) {
  static const char digits[] = "0123456789abcdef";
  size_t length = 0;
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    const int is_plain = c >= ' ' && c <= '~';
    if (length + (is_plain ? 1 : 4) > size) {
      break;
    }
    if (is_plain) {
      to[length++] = *text;
    } else {
      to[length++] = '\\';
      to[length++] = 'x';
      to[length++] = digits[c >> 4];
      to[length++] = digits[c & 15];
    }
  }
  return length;
}

void commtap_say(const char* format, ...) {
  char said[1024];
  char line[1024];
  const char* level = getenv("COMMTAP_LOG");
  if (level != NULL && strcmp(level, "off") == 0) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof(said), format, arguments);
  va_end(arguments);
  size_t length = (size_t)snprintf(line, sizeof(line), "[commtap pid %d] warning: ", (int)getpid());
  length += copy_inert(line + length, sizeof(line) - 2 - length, said);
  line[length] = '\n';
  if (write(STDERR_FILENO, line, length + 1) < 0) {
    return; /* the job may have closed stderr */
  }
}
