// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <doctest/doctest.h>

#include "report/base/text_file.h"

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

TEST_CASE("withoutSecrets redacts by name wherever a name and a value stand") {
  const std::vector<std::pair<Arguments, Arguments>> cases = {
      {{"mysql", "-phunter2"}, {"mysql", "-p(redacted)"}},
      {{"--auth", "u:p"}, {"--auth", "(redacted)"}},
      {{"--passwd=x", "--pwd", "x", "--passphrase", "x"},
       {"--passwd=(redacted)", "--pwd", "(redacted)", "--passphrase", "(redacted)"}},
      {{"--bearer", "x", "--cookie=a b"}, {"--bearer", "(redacted)", "--cookie=(redacted)"}},
      {{"--header", "Authorization: Bearer a b"}, {"--header", "Authorization: (redacted)"}},
      {{"--header=X-Api-Key: a"}, {"--header=X-Api-Key: (redacted)"}},
      {{R"x({"lr": 1, "api_key": "a\"b", "n": 2})x"}, {R"x({"lr": 1, "api_key": "(redacted)", "n": 2})x"}},
      {{"{'apiKey':17,'n':2}"}, {"{'apiKey':(redacted),'n':2}"}},
      {{"--config={\"db\":{\"password\": null}}"}, {"--config={\"db\":{\"password\": (redacted)}}"}},
      {{"PGPASS=x y", "HFTOKEN=x", "+db.password=x"},
       {"PGPASS=(redacted)", "HFTOKEN=(redacted)", "+db.password=(redacted)"}},
      {{"https://h/a?x=1&sig=a%2b&y=2"}, {"https://h/a?x=1&sig=(redacted)&y=2"}},
      {{"-c", "login(token='abc'); run()"}, {"-c", "login(token='(redacted)'); run()"}},
  };
  for (const auto& [arguments, redacted] : cases) {
    CHECK(withoutSecrets(arguments) == redacted);
  }
}

TEST_CASE("withoutSecrets redacts by shape") {
  const std::string body = "0123456789abcdefABCD";
  for (const std::string_view shape : kSecretShapes) {
    const std::string secret = std::string(shape) + body;
    CAPTURE(secret);
    CHECK(
        withoutSecrets({secret, "--x=" + secret, "a " + secret + ", b"}) ==
        Arguments{"(redacted)", "--x=(redacted)", "a (redacted), b"});
    CHECK(withoutSecrets({"my" + secret}) == Arguments{"my" + secret});
  }
  CHECK(withoutSecrets({"eyJhbGciOiJIUzI1NiJ9.e30.a-_b"}) == Arguments{"(redacted)"});
  CHECK(withoutSecrets({"hf_checkpoint_directory", "sk-learn"}) == Arguments{"hf_checkpoint_directory", "sk-learn"});
}

TEST_CASE("withoutSecrets keeps names that only resemble a secret's") {
  const Arguments arguments{
      "--max-tokens",
      "4096",
      "--max_tokens=1",
      "--tokenizer=bpe",
      "--token-file",
      "x",
      "--num-key-value-heads=8",
      "--key-size",
      "64",
      "n.keys=3",
      "--signal=9",
      "--author=a",
      "monkey=1",
      "--keyboard",
      "k",
      "KEY",
      "tcp://h:1"};
  CHECK(withoutSecrets(arguments) == arguments);
}

TEST_CASE("the list of what is redacted is in docs/report.md") {
  const Result<std::string> page = readTextFile(COMMTAP_SOURCE_ROOT "/docs/report.md");
  REQUIRE(page);
  const auto areListed = [&page](const auto& list) {
    for (const std::string_view item : list) {
      CAPTURE(item);
      CHECK(page->find("`" + std::string(item) + "`") != std::string::npos);
    }
  };
  areListed(kSecretWords);
  areListed(kSecretEndings);
  areListed(kHarmlessEndings);
  areListed(kSecretShapes);
}

TEST_CASE("withoutSecrets keeps an option that follows a secret option without a value") {
  CHECK(withoutSecrets({"--use-token", "--lr", "1"}) == Arguments{"--use-token", "--lr", "1"});
  CHECK(withoutSecrets({"--key"}) == Arguments{"--key"});
}

TEST_CASE("withoutSecrets redacts the password in a URL") {
  CHECK(
      withoutSecrets({"--store", "redis://me:pass@host:6379/0"}) ==
      Arguments{"--store", "redis://me:(redacted)@host:6379/0"});
  CHECK(withoutSecrets({"git+https://abc@host/x"}) == Arguments{"git+https://(redacted)@host/x"});
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
