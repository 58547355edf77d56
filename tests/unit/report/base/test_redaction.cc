// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Arguments = std::vector<std::string>;

TEST_CASE("withoutSecrets redacts values of secret options and variables in any case") {
  CHECK(
      withoutSecrets({"train.py", "--api-key=a1b2", "--lr=3e-4"}) ==
      Arguments{"train.py", "--api-key=(redacted)", "--lr=3e-4"});
  CHECK(withoutSecrets({"--hf_token", "hf_abc", "x"}) == Arguments{"--hf_token", "(redacted)", "x"});
  CHECK(
      withoutSecrets({"env", "WANDB_API_KEY=1=2", "python"}) == Arguments{"env", "WANDB_API_KEY=(redacted)", "python"});
  CHECK(
      withoutSecrets({"db.passWord=x", "--client-secret", "y"}) ==
      Arguments{"db.passWord=(redacted)", "--client-secret", "(redacted)"});
}

TEST_CASE("withoutSecrets keeps an option that follows a secret option without a value") {
  CHECK(withoutSecrets({"--use-token", "--lr", "1"}) == Arguments{"--use-token", "--lr", "1"});
  CHECK(withoutSecrets({"--key"}) == Arguments{"--key"});
}

TEST_CASE("withoutSecrets redacts the password in a URL") {
  CHECK(
      withoutSecrets({"--store", "redis://me:pass@host:6379/0"}) ==
      Arguments{"--store", "redis://me:(redacted)@host:6379/0"});
  for (const char* harmless : {"tcp://host:29500", "https://host/a:b@c", "a@b", "s3://bucket/x"}) {
    CHECK(withoutSecrets({harmless}) == Arguments{harmless});
  }
}

TEST_CASE("withoutSecrets keeps all other arguments, even a file name with a secret word") {
  const Arguments arguments{"python", "-u", "tokenizer.py", "keys.txt", "", "--model", "monkey"};
  CHECK(withoutSecrets(arguments) == arguments);
}

} // namespace
} // namespace commtap
