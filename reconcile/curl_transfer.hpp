// SPDX-License-Identifier: Apache-2.0
// One of libcurl's easy handles with everything that a transfer needs, used again and again.
#pragma once

#include <curl/curl.h>

#include <array>
#include <boost/system/error_code.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "reconcile/http.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

struct HttpOptions {
  Auth auth = {};
  Duration connect_timeout = 3s;               ///< provider.connect_timeout
  std::size_t max_answer = 4UL * 1024 * 1024;  ///< provider.max_answer, after decompression
  std::string ca_file = {};                    ///< instead of the system's; empty: the system's
  int max_in_flight = 64;                      ///< provider.max_in_flight: exchanges at once
};

/// Header lines of one answer: more, or longer ones, end the exchange.
inline constexpr std::size_t kMostHeaders = 200;
inline constexpr std::size_t kMostHeaderBytes = 64UL * 1024;

/// The credential, with a number that changes when it does.
struct Credential {
  std::string secret;
  std::uint64_t generation = 0;
};

/// Wakes whoever waits for a transfer.
struct Waiter {
  virtual ~Waiter() = default;
  virtual void wake(boost::system::error_code error) = 0;
};

class CurlTransfer {
 public:
  explicit CurlTransfer(const HttpOptions& options);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  static CurlTransfer& of(CURL* easy);

  /// `request` must live until the transfer has ended.
  void prepare(const HttpRequest& request, const Credential& credential, Duration timeout);

  /// What came, once libcurl has said how it ended (`result`).
  HttpReply reply(const Credential& credential);

  CURL* easy() const noexcept { return easy_; }

  std::unique_ptr<Waiter> waiter;
  CURLcode result = CURLE_OK;
  bool on_loop = false;

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);

  bool take_header(std::string_view line);
  bool take_body(std::string_view bytes);
  void set_fixed_options();
  void set_headers(const HttpRequest& request, const Credential& credential);
  bool request_began() const;
  std::string why(const Credential& credential) const;

  const HttpOptions& options_;
  CURL* easy_;
  curl_slist* header_list_ = nullptr;
  // What header_list_ was made of: the next request mostly has the same.
  std::vector<std::pair<std::string, std::string>> headers_made_;
  std::uint64_t generation_made_ = 0;
  bool body_made_ = false;

  HttpAnswer answer_;
  std::size_t header_bytes_ = 0;
  bool headers_whole_ = false;  // the empty line after them was seen
  std::string_view refused_;    // why we ended it ourselves
  std::array<char, CURL_ERROR_SIZE> error_{};
};

}  // namespace reconciled
