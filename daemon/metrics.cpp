// SPDX-License-Identifier: Apache-2.0
#include "daemon/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <stdexcept>

namespace reconciled {
namespace {

/// From an answer out of a cache to a lookup that used up provider.timeout.
const Histogram::BucketBoundaries kLookupBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                 0.5,   1,    2.5,   5,    10,  30};
/// From an operation that was waited for to one that a provider's outage held up for a week.
const Histogram::BucketBoundaries kOutcomeBuckets{
    0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3'600, 21'600, 86'400, 604'800};

const Histogram::BucketBoundaries& buckets_of(const MetricKind& kind) {
  return kind.name == "reconciled_lookup_duration_seconds" ? kLookupBuckets : kOutcomeBuckets;
}

prometheus::Labels labels_of(const MetricKind& kind, Metrics::Values values) {
  prometheus::Labels labels;
  auto name = kind.labels.begin();
  for (const auto value : values) {
    if (name == kind.labels.end() || name->empty())
      throw std::logic_error("too many label values: " + std::string(kind.name));
    labels.emplace(*name++, value);
  }
  return labels;
}

}  // namespace

Metrics::Metrics() {
  for (const auto& kind : kMetrics) {
    const std::string name(kind.name);
    const std::string help(kind.help);
    switch (kind.type) {
      case MetricType::counter: {
        auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
        counters_[kind.name] = &family;
        if (kind.labels.front().empty()) family.Add({});
        break;
      }
      case MetricType::gauge:
        gauges_[kind.name] = &prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
        break;
      case MetricType::histogram: {
        auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
        histograms_[kind.name] = &family.Add({}, buckets_of(kind));
        break;
      }
    }
  }
}

Counter& Metrics::counter(MetricName<MetricType::counter> name, Values values) {
  return counters_.at(name.kind().name)->Add(labels_of(name.kind(), values));
}

Gauge& Metrics::gauge(MetricName<MetricType::gauge> name, Values values) {
  return gauges_.at(name.kind().name)->Add(labels_of(name.kind(), values));
}

Histogram& Metrics::histogram(MetricName<MetricType::histogram> name) {
  return *histograms_.at(name.kind().name);
}

std::string Metrics::page() const {
  return prometheus::TextSerializer().Serialize(registry_.Collect());
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace reconciled
