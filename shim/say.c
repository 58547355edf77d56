/* SPDX-FileCopyrightText: 2026 The commtap authors
 * SPDX-License-Identifier: BSD-3-Clause */
#include "shim/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void commtap_say(const char* format, ...) {
  char line[1024];
  const char* level = getenv("COMMTAP_LOG");
  if (level != NULL && strcmp(level, "off") == 0) {
    return;
  }
  int length = snprintf(line, sizeof(line), "[commtap pid %d] warning: ", (int)getpid());
  va_list arguments;
  va_start(arguments, format);
  length += vsnprintf(line + length, sizeof(line) - (size_t)length, format, arguments);
  va_end(arguments);
  if (length > (int)sizeof(line) - 2) {
    length = (int)sizeof(line) - 2;
  }
  line[length] = '\n';
  if (write(STDERR_FILENO, line, (size_t)length + 1) < 0) {
    return; /* the job may have closed stderr */
  }
}
