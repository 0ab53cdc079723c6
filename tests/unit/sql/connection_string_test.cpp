// SPDX-License-Identifier: Apache-2.0
// database.uri as people write it (cases B26). What was built is read back by libpq's own parser.
#include "sql/connection_string.hpp"

#include <libpq-fe.h>

#include <map>
#include <memory>

#include "tests/support/catch.hpp"

namespace reconciled::sql {
namespace {

using Keywords = std::map<std::string, std::string>;

constexpr char kPassword[] = "p@ss/w:rd %41&=)[";
constexpr char kEncoded[] = "p%40ss%2Fw%3Ard%20%2541%26%3D%29%5B";

Keywords as_libpq_reads(const std::string& text) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(text.c_str(), &message), &PQconninfoFree);
  const std::string fault = message == nullptr ? "" : message;
  if (message != nullptr) PQfreemem(message);
  REQUIRE(fault.empty());
  Keywords keywords;
  for (const auto* option = parsed.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) keywords[option->keyword] = option->val;
  return keywords;
}

Keywords built(const ConnectionOptions& options) {
  const auto text = connection_string(options);
  REQUIRE(text.has_value());
  return as_libpq_reads(*text);
}

TEST_CASE("a URI reaches the database, host, user and password that it names", "[connection]") {
  struct Case {
    std::string uri, host, dbname, user, password;
  };
  const auto wanted = GENERATE(values<Case>({
      {std::string("postgresql://u:") + kEncoded + "@h.example:6543/db", "h.example", "db", "u",
       kPassword},
      {"postgresql://u@%2Fvar%2Frun%2Fpostgresql/db", "/var/run/postgresql", "db", "u", ""},
      {"postgresql://u@[::1]:5433/db", "::1", "db", "u", ""},
      {"postgres://u@a.example,b.example/db", "a.example,b.example", "db", "u", ""},
      {"postgresql:///db", "", "db", "", ""},
      {"host=h dbname='my db' user=u password='it\\'s \\\\ it'", "h", "my db", "u", "it's \\ it"},
  }));
  INFO(wanted.uri);
  auto keywords = built({.uri = wanted.uri});
  CHECK(keywords["host"] == wanted.host);
  CHECK(keywords["dbname"] == wanted.dbname);
  CHECK(keywords["user"] == wanted.user);
  CHECK(keywords["password"] == wanted.password);
}

TEST_CASE("what the URI says of our keywords is replaced, all else stays", "[connection]") {
  ConnectionOptions options;
  options.uri =
      "postgresql://u@h/db?target_session_attrs=any&application_name=x&connect_timeout=99"
      "&sslmode=require&keepalives_idle=7&client_encoding=LATIN1";
  options.application_name = "o'brien %41&x=1 \\";
  options.connect_timeout = 3500ms;
  auto keywords = built(options);
  CHECK(keywords["target_session_attrs"] == "read-write");
  CHECK(keywords["application_name"] == options.application_name);
  CHECK(keywords["connect_timeout"] == "4");
  CHECK(keywords["client_encoding"] == "UTF8");
  CHECK(keywords["sslmode"] == "require");
  CHECK(keywords["keepalives_idle"] == "7");
  CHECK(keywords["keepalives_count"] == "3");
}

TEST_CASE("a connect timeout below libpq's shortest is raised to it", "[connection]") {
  CHECK(built({.uri = "postgresql:///db", .connect_timeout = 250ms})["connect_timeout"] == "2");
}

TEST_CASE("a dry run asks for any server", "[connection]") {
  auto keywords = built({.uri = "postgresql:///db", .target_session_attrs = "any"});
  CHECK(keywords["target_session_attrs"] == "any");
}

TEST_CASE("the password of the file wins over the one in the URI", "[connection]") {
  auto keywords = built({.uri = "postgresql://u:old@h/db", .password = kPassword});
  CHECK(keywords["password"] == kPassword);
}

TEST_CASE("G13 a URI that cannot be read is refused without a word of it", "[connection]") {
  const auto* uri = GENERATE("postgresql://u:s3cret@[::1/db", "postgresql://u:s3cret%ZZ@h/db",
                             "password=s3cret nonsense=s3cret", "s3cret",
                             "postgresql://h/db?s3cret=1", "password='s3cret");
  INFO(uri);
  const auto text = connection_string({.uri = uri});
  REQUIRE(text.has_error());
  CHECK(text.error().code == ExitCode::configuration);
  CHECK(to_string(text.error()).find("s3cret") == std::string::npos);
  CHECK(masked(uri) == "***");
  CHECK_FALSE(has_password(uri));
}

TEST_CASE("G13 a password is masked, raw and encoded, and the rest can be read", "[connection]") {
  const auto uri = std::string("postgresql://u:") + kEncoded + "@h.example/db";
  const auto shown = masked(uri);
  CHECK(shown.find(kEncoded) == std::string::npos);
  CHECK(shown.find(kPassword) == std::string::npos);
  auto keywords = as_libpq_reads(shown);
  CHECK(keywords["password"] == "***");
  CHECK(keywords["host"] == "h.example");
  CHECK(masked("postgresql://h/db?sslpassword=s3cret").find("s3cret") == std::string::npos);
  CHECK(masked("host=h password=s3cret").find("s3cret") == std::string::npos);
}

TEST_CASE("a URI without a password is shown as it was written", "[connection]") {
  CHECK(masked("postgresql://u@h/db") == "postgresql://u@h/db");
  CHECK_FALSE(has_password("postgresql://u@h/db"));
  CHECK(has_password("postgresql://u:p@h/db"));
  CHECK(has_password("host=h password=p"));
}

}  // namespace
}  // namespace reconciled::sql
