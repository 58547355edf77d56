// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verbs.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/text.h"

namespace commtap {
namespace {

constexpr size_t kMaxLines = 10;

class VerbFormatter : public CLI::Formatter {
 public:
  explicit VerbFormatter(std::string usage) : usage_(std::move(usage)) {}

  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + usage_ + "\n";
  }

 private:
  std::string usage_;
};

} // namespace

void setUsage(CLI::App& verb, const std::string& usage) {
  auto formatter = std::make_shared<VerbFormatter>(usage);
  constexpr size_t kOptionColumn = 34;
  formatter->column_width(kOptionColumn);
  formatter->label("REQUIRED", "");
  verb.formatter(formatter);
}

CLI::Validator oneOf(std::vector<std::string> words) {
  const auto check = [words = std::move(words)](const std::string& word) {
    const bool known = std::find(words.begin(), words.end(), word) != words.end();
    return known ? std::string() : fmt::format("\"{}\" is not one of {}", word, fmt::join(words, ", "));
  };
  return CLI::Validator(check, "");
}

void say(const std::string& line) {
  fmt::print(stderr, "commtap: {}\n", inert(line));
}

void sayAll(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size() && i < kMaxLines; ++i) {
    say(lines[i]);
  }
  if (lines.size() > kMaxLines) {
    say(fmt::format("... and {} more of these", lines.size() - kMaxLines));
  }
}

int printOut(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    say(std::string("cannot write to stdout: ") + std::strerror(errno));
    return kExitFindings;
  }
  return kExitOk;
}

} // namespace commtap
