// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/redaction.h"

#include <map>
#include <string>

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

TEST_CASE("inert keeps plain text of any language") {
  CHECK(
      inert("Net.layers.0 \xc3\xa4\xe6\x97\xa5\xf0\x9f\x98\x80") ==
      "Net.layers.0 \xc3\xa4\xe6\x97\xa5\xf0\x9f\x98\x80");
}

TEST_CASE("inert escapes control characters") {
  CHECK(inert("\x1b]0;x\x07\n\t\x7f") == "\\x1b]0;x\\x07\\x0a\\x09\\x7f");
  CHECK(inert(std::string(1, '\0')) == "\\x00");
  CHECK(
      inert("\xc2\x9b"
            "31m") == "\\u{9b}31m");
  CHECK(
      inert("a\xe2\x80\xae"
            "b") == "a\\u{202e}b");
}

TEST_CASE("inert escapes marks of direction and invisible characters") {
  for (const char* mark : {"feff", "61c", "200e", "200f", "202a", "202e", "2066", "2069"}) {
    const auto c = static_cast<unsigned>(std::stoul(mark, nullptr, 16));
    const auto byte = [](unsigned value) { return static_cast<char>(value); };
    const std::string text =
        c < 0x800 ? std::string{byte(0xc0 | c >> 6), byte(0x80 | (c & 0x3f))}
                  : std::string{byte(0xe0 | c >> 12), byte(0x80 | (c >> 6 & 0x3f)), byte(0x80 | (c & 0x3f))};
    CHECK(inert("a" + text + "b") == "a\\u{" + std::string(mark) + "}b");
  }
}

TEST_CASE("inert escapes invalid UTF-8 byte by byte") {
  CHECK(inert("\xff") == "\\xff");
  CHECK(inert("\xc3(") == "\\xc3(");
  CHECK(inert("\xe6\x97") == "\\xe6\\x97");
  CHECK(inert("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(inert("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(inert("\xe0\x80\x80") == "\\xe0\\x80\\x80");
  CHECK(inert("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

} // namespace
} // namespace commtap
