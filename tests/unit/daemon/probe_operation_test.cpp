// SPDX-License-Identifier: Apache-2.0
#include "daemon/probe_operation.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

constexpr char kId[] = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
constexpr HostTime kNow{Duration{1'767'323'045'000'000}};

std::string operation(const std::string& more = "") {
  return std::string("{\"operation_id\":\"") + kId +
         "\",\"account_id\":\"A-1\",\"amount\":250.00,\"currency\":\"USD\"" + more + "}";
}

ProbeOperation read(const std::string& text) { return read_probe_operation(text, kNow).value(); }

std::string fault(const std::string& text) {
  const auto result = read_probe_operation(text, kNow);
  REQUIRE(result.has_error());
  CHECK(result.error().code == ExitCode::configuration);
  return result.error().what;
}

std::string created(const std::string& time) {
  return rfc3339(read(operation(",\"created_at\":\"" + time + "\"")).operation.created_at);
}

}  // namespace

TEST_CASE("an operation is read as row_to_json writes it", "[probe]") {
  const auto probed = read(operation(
      ",\"status\":\"Unknown\",\"provider_context\":{\"a\":\"x\\\"\",\"b\":[1.50,null,true]}"));
  CHECK(to_string(probed.operation.id) == kId);
  CHECK(probed.operation.account_id == "A-1");
  CHECK(probed.operation.amount == Decimal::parse("250"));
  CHECK(probed.operation.currency == "USD");
  CHECK(probed.operation.provider_context == R"({"a":"x\"","b":[1.50,null,true]})");
  CHECK(probed.as_of == DatabaseTime{kNow.since_epoch});
  CHECK(probed.as_of - probed.operation.created_at == 10min);
  CHECK(probed.operation.submit_by - probed.operation.created_at == 1h);
  CHECK(read(operation(",\"provider_context\":null")).operation.provider_context.empty());
}

TEST_CASE("times are read in RFC 3339 and as PostgreSQL prints them", "[probe]") {
  CHECK(created("2026-01-02T03:04:05Z") == "2026-01-02T03:04:05Z");
  CHECK(created("2026-01-02T03:04:05.25+05:45") == "2026-01-01T21:19:05.250000Z");
  CHECK(created("2026-01-02 03:04:05.999999-03") == "2026-01-02T06:04:05.999999Z");
  CHECK(created("2026-01-02 03:04:05+0000") == "2026-01-02T03:04:05Z");
  for (const auto* wrong : {"2026-01-02", "2026-01-02T03:04:05", "2026-02-30T00:00:00Z", "now",
                            "2026-01-02T03:04:05Zx", "2026-1-2T03:04:05Z", "1767323045", ""}) {
    CAPTURE(wrong);
    CHECK(fault(operation(std::string(",\"as_of\":\"") + wrong + "\"")) ==
          "the operation: as_of: is no time, such as 2026-11-30T10:00:00Z");
  }
}

TEST_CASE("what an operation lacks is named", "[probe]") {
  CHECK(fault("{}") == "the operation: operation_id: is missing");
  CHECK(fault("[]") == "the operation: operation_id: is missing");
  CHECK_THAT(fault("{"), contains_text("the operation: as a whole: "));
  CHECK(fault(R"({"operation_id":"x","account_id":"a","amount":1,"currency":"USD"})") ==
        "the operation: operation_id: is no uuid");
  CHECK(fault(std::string(R"({"account_id":"a","amount":"1,0","currency":"USD","operation_id":")") +
              kId + "\"}") == "the operation: amount: is no plain decimal number");
}
