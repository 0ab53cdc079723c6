// SPDX-License-Identifier: Apache-2.0
#include "reconcile/curl_transfer.hpp"

#include <algorithm>
#include <new>

namespace reconciled {
namespace {

constexpr long kIdleProbeSeconds = 30;

char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool names(const std::vector<std::pair<std::string, std::string>>& headers, std::string_view name) {
  return std::ranges::any_of(headers, [&](const auto& header) {
    return std::ranges::equal(header.first, name, {}, lower, lower);
  });
}

void append(curl_slist*& list, const std::string& line) {
  auto* const longer = curl_slist_append(list, line.c_str());
  if (longer == nullptr) throw std::bad_alloc{};
  list = longer;
}

/// libcurl's milliseconds, never zero (which would mean no limit) and never less than asked.
long milliseconds(Duration duration) noexcept {
  return std::max(
      1L, static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(duration).count()));
}

}  // namespace

CurlTransfer::CurlTransfer(const HttpOptions& options)
    : options_(options), easy_(curl_easy_init()) {
  if (easy_ == nullptr) throw std::bad_alloc{};
  set_fixed_options();
}

CurlTransfer::~CurlTransfer() {
  curl_easy_cleanup(easy_);
  curl_slist_free_all(header_list_);
}

CurlTransfer& CurlTransfer::of(CURL* easy) {
  char* self = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<CurlTransfer*>(self);
}

/// The HTTP rules of design §5. What the environment says of proxies is not asked, .netrc is not
/// read, and nothing is followed.
void CurlTransfer::set_fixed_options() {
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  // Without it the end of a transfer waits for the thread that resolves its name (cases.md B32).
  curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  curl_easy_setopt(easy_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy_, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPIDLE, kIdleProbeSeconds);
  curl_easy_setopt(easy_, CURLOPT_USERAGENT, "reconciled");
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(options_.connect_timeout));
  if (!options_.ca_file.empty()) {
    curl_easy_setopt(easy_, CURLOPT_CAINFO, options_.ca_file.c_str());
    curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);  // or the system's would count as well
  }
}

void CurlTransfer::prepare(const HttpRequest& request, const Credential& credential,
                           Duration timeout) {
  answer_ = {};
  header_bytes_ = 0;
  headers_whole_ = false;
  refused_ = {};
  error_.front() = '\0';
  curl_easy_setopt(easy_, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, milliseconds(timeout));
  // On a connection that was used before, libcurl sends a POST a second time by itself when the
  // peer closes it meanwhile (design §6); and over HTTP/2 when the peer refuses the stream.
  curl_easy_setopt(easy_, CURLOPT_FRESH_CONNECT, request.own_connection ? 1L : 0L);
  curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, request.own_connection ? 1L : 0L);
  curl_easy_setopt(
      easy_, CURLOPT_HTTP_VERSION,
      static_cast<long>(request.own_connection ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
  if (request.method == HttpMethod::post) {
    curl_easy_setopt(easy_, CURLOPT_POST, 1L);
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request.body.c_str());
  } else {
    curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
  }
  set_headers(request, credential);
}

void CurlTransfer::set_headers(const HttpRequest& request, const Credential& credential) {
  const bool with_body = request.method == HttpMethod::post;
  if (header_list_ != nullptr && headers_made_ == request.headers && body_made_ == with_body &&
      generation_made_ == credential.generation) {
    return;
  }
  curl_slist* list = nullptr;
  for (const auto& [name, value] : request.headers) {
    std::string line = name;
    line += value.empty() ? ";" : ": ";  // libcurl's way to send an empty one
    append(list, line += value);
  }
  if (!names(request.headers, "accept")) append(list, "Accept: application/json, */*;q=0.5");
  if (with_body && !names(request.headers, "content-type")) {
    append(list, "Content-Type: application/json");
  }
  switch (options_.auth.kind) {
    case Auth::Kind::bearer:
      append(list, "Authorization: Bearer " + credential.secret);
      break;
    case Auth::Kind::header:
      append(list, options_.auth.header_name + ": " + credential.secret);
      break;
    case Auth::Kind::basic:
      curl_easy_setopt(easy_, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      curl_easy_setopt(easy_, CURLOPT_USERPWD, credential.secret.c_str());
      break;
    case Auth::Kind::none:
      break;
  }
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, list);
  curl_slist_free_all(header_list_);
  header_list_ = list;
  headers_made_ = request.headers;
  body_made_ = with_body;
  generation_made_ = credential.generation;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->take_header({data, size * count}) ? size * count : 0;
}

std::size_t CurlTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->take_body({data, size * count}) ? size * count : 0;
}

bool CurlTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kMostHeaderBytes || answer_.headers.size() >= kMostHeaders) {
    refused_ = "the answer has too many headers";
    return false;
  }
  if (line.starts_with("HTTP/")) {  // a 1xx came before
    answer_.headers.clear();
    headers_whole_ = false;
    return true;
  }
  // What follows the empty line is a trailer: nothing that decides may come so late.
  if (headers_whole_) return true;
  headers_whole_ = trimmed(line).empty();
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  std::string name{line.substr(0, colon)};
  std::ranges::transform(name, name.begin(), lower);
  answer_.headers.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
  return true;
}

bool CurlTransfer::take_body(std::string_view bytes) {
  if (bytes.size() > options_.max_answer - answer_.body.size()) {
    refused_ = "the answer is larger than provider.max_answer";
    return false;
  }
  answer_.body.append(bytes);
  return true;
}

HttpReply CurlTransfer::reply(const Credential& credential) {
  // libcurl is content with a connection that ends amid the headers (tried with 7.88): a status
  // that means "nothing there" would pass for a whole answer.
  if (result == CURLE_OK && !headers_whole_) {
    refused_ = "the answer ended amid its headers";
  } else if (result == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    answer_.status = static_cast<int>(status);
    return std::move(answer_);
  }
  answer_ = {};  // what there is of a broken answer is not kept
  return HttpFailure{.sent = request_began(), .why = why(credential)};
}

/// False only if connecting and TLS never came to an end, whatever libcurl's code says: the same
/// code may come before and after the request.
bool CurlTransfer::request_began() const {
  curl_off_t ready = 0;
  long bytes = 0;
  curl_easy_getinfo(easy_, CURLINFO_PRETRANSFER_TIME_T, &ready);
  curl_easy_getinfo(easy_, CURLINFO_REQUEST_SIZE, &bytes);
  return ready != 0 || bytes != 0;
}

std::string CurlTransfer::why(const Credential& credential) const {
  if (!refused_.empty()) return std::string{refused_};
  const std::string_view detail{error_.data()};
  // libcurl's texts name hosts, ports and certificates; one that repeats the credential does not
  // leave (design G13).
  const bool leaks =
      !credential.secret.empty() && detail.find(credential.secret) != std::string_view::npos;
  if (detail.empty() || leaks) return curl_easy_strerror(result);
  std::string text{detail.substr(0, detail.find('?'))};  // an URL's query is nobody's business
  std::ranges::replace_if(
      text, [](unsigned char it) { return it < 0x20 || it == 0x7f; }, ' ');
  return text;
}

}  // namespace reconciled
