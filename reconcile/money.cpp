// SPDX-License-Identifier: Apache-2.0
#include "reconcile/money.hpp"

#include <algorithm>

namespace reconciled {
namespace {

// ISO 4217, list one (funds codes included), and codes withdrawn since 2020, which a ledger may
// still hold. Codes without a minor unit (gold, testing) are left out: they have no minor amounts.
constexpr std::string_view kNoDecimals =
    " BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ";
constexpr std::string_view kTwoDecimals =
    " AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN"
    " BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP"
    " GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT"
    " LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO"
    " NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS"
    " SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD"
    " XCG YER ZAR ZMW ZWG ZWL ";
constexpr std::string_view kThreeDecimals = " BHD IQD JOD KWD LYD OMR TND ";
constexpr std::string_view kFourDecimals = " CLF UYW ";

constexpr std::pair<std::string_view, int> kIso4217[] = {
    {kTwoDecimals, 2}, {kNoDecimals, 0}, {kThreeDecimals, 3}, {kFourDecimals, 4}};
constexpr std::size_t kCodeLength = 3;

char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), upper);
  return result;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::optional<int> minor_exponent(std::string_view currency, const ExponentOverrides& overrides) {
  const auto code = upper_case(currency);
  for (const auto& [overridden, exponent] : overrides)
    if (overridden == code) return exponent;
  const bool is_code =
      code.size() == kCodeLength &&
      std::all_of(code.begin(), code.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_code) return std::nullopt;
  for (const auto& [codes, exponent] : kIso4217)
    if (codes.find(" " + code + " ") != std::string_view::npos) return exponent;
  return std::nullopt;
}

Decimal minor_to_major(const Decimal& minor, int exponent) { return minor.scaled(-exponent); }

std::optional<Decimal> major_to_minor(const Decimal& major, int exponent) {
  auto minor = major.scaled(exponent);
  if (!minor.is_integer()) return std::nullopt;
  return minor;
}

}  // namespace reconciled
