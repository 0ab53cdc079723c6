// SPDX-License-Identifier: Apache-2.0
#include "daemon/probe_profile.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>

#include "daemon/files.hpp"
#include "daemon/output.hpp"
#include "daemon/probe_source.hpp"
#include "daemon/wiring.hpp"
#include "reconcile/explain.hpp"
#include "reconcile/judge.hpp"
#include "reconcile/scan.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

constexpr char kMasked[] = "***";

ExitCode complain(const Failure& failure) {
  std::fprintf(stderr, "reconciled: %s\n", to_string(failure).c_str());
  return failure.code;
}

/// A header of the profile may hold a second secret, such as a tenant's.
bool looks_secret(std::string_view name) {
  const auto folded = lower_case(name);
  for (const std::string_view part : {"key", "secret", "token", "auth", "password", "cookie"})
    if (folded.find(part) != std::string::npos) return true;
  return false;
}

std::string credential_line(const Auth& auth) {
  switch (auth.kind) {
    case Auth::Kind::bearer:
      return fmt::format("  Authorization: Bearer {}\n", kMasked);
    case Auth::Kind::basic:
      return fmt::format("  Authorization: Basic {}\n", kMasked);
    case Auth::Kind::header:
      return fmt::format("  {}: {}\n", auth.header_name, kMasked);
    case Auth::Kind::none:
      break;
  }
  return {};
}

std::string shown(const HttpRequest& request, const Auth& auth) {
  const bool post = request.method == HttpMethod::post;
  auto text = fmt::format("{} {}\n", post ? "POST" : "GET", request.url) + credential_line(auth);
  for (const auto& [name, value] : request.headers)
    text += fmt::format("  {}: {}\n", name, looks_secret(name) ? kMasked : value);
  return post ? text + "  " + request.body + "\n" : text;
}

ExitCode code_of(const Finding& finding) {
  if (std::holds_alternative<Found>(finding) || std::holds_alternative<Absent>(finding))
    return ExitCode::done;
  const bool answered = std::holds_alternative<Incomplete>(finding) ||
                        std::holds_alternative<Unintelligible>(finding) ||
                        std::holds_alternative<MissingContext>(finding);
  return answered ? ExitCode::undecided : ExitCode::unavailable;
}

class Probe {
 public:
  Probe(const Configuration& configuration, ProbeOperation probed, bool send)
      : configuration_(configuration),
        probed_(std::move(probed)),
        send_(send),
        client_(loop_.get_executor(), http_options(configuration_),
                std::string(configuration_.credential.reveal())) {}

  ExitCode run() {
    auto code = ExitCode::defect;
    output_.write(fmt::format("profile {}: {}\n", profile().name, profile().describes));
    asio::co_spawn(loop_, look(), [&](const std::exception_ptr& why, ExitCode ended) {
      if (why) std::rethrow_exception(why);
      code = ended;
      loop_.stop();
    });
    loop_.run();
    return output_.finish(code);
  }

 private:
  const Profile& profile() const { return configuration_.profile; }
  Awaitable<ExitCode> look();
  void show(const HttpReply& reply);
  void show(const Finding& finding);

  const Configuration& configuration_;
  const ProbeOperation probed_;
  const bool send_;
  asio::io_context loop_{1};
  HttpClient client_;
  Output output_;
};

Awaitable<ExitCode> Probe::look() {
  const auto deadline = SteadyClock::now() + configuration_.settings.provider.timeout;
  Scan scan{profile(), probed_.operation, probed_.as_of};
  auto step = scan.begin();
  // Bounded by the profile's max_pages, inside the scan, and by the deadline.
  while (const auto* const request = std::get_if<HttpRequest>(&step)) {
    output_.write(shown(*request, profile().auth));
    if (!send_) {
      output_.write("not sent: --send sends it\n");
      co_return ExitCode::done;
    }
    const auto asked = *request;
    const auto reply = co_await client_.send(asked, deadline);
    show(reply);
    step = scan.next(reply);
  }
  const auto& finding = std::get<Finding>(step);
  show(finding);
  co_return code_of(finding);
}

void Probe::show(const HttpReply& reply) {
  const auto* answer = std::get_if<HttpAnswer>(&reply);
  if (answer == nullptr) {
    output_.write("no answer: " + std::get<HttpFailure>(reply).why + "\n");
    return;
  }
  output_.write(fmt::format("status {}, {} bytes, {}\n", answer->status, answer->body.size(),
                            yaml::quoted(answer->header("content-type"))));
  if (answer->status != 200) return;
  const auto read = json::read(answer->body);
  if (!read.document) {
    output_.write("  no rows: " + read.why + "\n");
    return;
  }
  const auto& rules = profile().credits;
  TemplateValues values(probed_.operation, {probed_.operation.created_at, probed_.as_of},
                        rules.amount.exponents);
  std::optional<CreditRules> filled;
  if (fill(rules, values, filled)) return;  // the scan has said what is missing
  output_.write(explain_rows(filled ? *filled : rules, read.document->root(), probed_.operation));
}

void Probe::show(const Finding& finding) {
  const auto why = explanation(finding);
  output_.write(fmt::format("finding: {}{}{}\n", word(finding), why.empty() ? "" : ": ", why));
  const auto verdict = judge(probed_.operation, finding, profile().guarantees, {},
                             {configuration_.settings.recovery.give_up_after},
                             ProviderCondition::normal, probed_.as_of);
  output_.write(fmt::format("would be recorded: {} ({}); nothing was written\n",
                            word(verdict.decision), word(verdict.reason)));
}

/// Of the configuration only `provider` counts, and `database` where the operation is to come from
/// there; without a file its defaults do.
Result<Configuration> configuration_for(const Invocation& invocation, const Surroundings& around) {
  Configuration configuration;
  configuration.settings = default_settings(around.host_name);
  std::error_code unreadable;
  if (invocation.config != kDefaultConfig || std::filesystem::exists(kDefaultConfig, unreadable)) {
    auto settings = load_settings(invocation.config, around.host_name, around.listen);
    if (!settings) return settings.error();
    configuration.settings = std::move(*settings);
  }
  auto profile =
      read_profile_file("--probe-profile", invocation.probe.profile, configuration.settings);
  if (!profile) return profile.error();
  configuration.profile = std::move(*profile);
  if (std::holds_alternative<OperationId>(invocation.probe.operation)) {
    auto password = load_database_password(configuration.settings, around);
    if (!password) return password.error();
    configuration.database_password = std::move(*password);
  }
  const bool wanted = invocation.probe.send && configuration.profile.auth.kind != Auth::Kind::none;
  if (!wanted) return configuration;
  if (configuration.settings.provider.credential_file.empty())
    return Failure{ExitCode::configuration,
                   "profile " + configuration.profile.name + " sends a credential",
                   "name its file with provider.credential_file in --config"};
  auto credential = load_credential(configuration.settings, around);
  if (!credential) return credential.error();
  configuration.credential = std::move(*credential);
  return configuration;
}

}  // namespace

ExitCode run_probe_profile(const Invocation& invocation, const Surroundings& around) {
  const auto configuration = configuration_for(invocation, around);
  if (!configuration) return complain(configuration.error());
  auto probed = probed_operation(invocation.probe, *configuration);
  if (!probed) return complain(probed.error());
  return Probe(*configuration, std::move(*probed), invocation.probe.send).run();
}

}  // namespace reconciled
