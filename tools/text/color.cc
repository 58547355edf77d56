// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/text/color.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace commtap {

Color Color::forStream(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = no_color == nullptr || no_color[0] == '\0';
  const bool able = isatty(fd) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  return wanted && able ? always() : none();
}

std::string Color::wrap(std::string_view code, std::string_view text) const {
  return use_ == Use::kAlways ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

} // namespace commtap
