// SPDX-License-Identifier: Apache-2.0
// The process's numbers, for whoever scrapes them. Counting is cheap and may be done from any
// thread; a counter or gauge, once asked for, stays valid as long as this object.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "daemon/metrics_table.hpp"

namespace reconciled {

using Counter = prometheus::Counter;
using Gauge = prometheus::Gauge;
using Histogram = prometheus::Histogram;

class Metrics {
 public:
  /// Every metric of the table. Counters and histograms without labels begin at zero; a gauge is
  /// shown from the first time that it is asked for.
  Metrics();

  using Values = std::initializer_list<std::string_view>;
  /// The series with these label values, in the table's order of labels.
  Counter& counter(MetricName<MetricType::counter> name, Values values = {});
  Gauge& gauge(MetricName<MetricType::gauge> name, Values values = {});
  Histogram& histogram(MetricName<MetricType::histogram> name);

  /// The text format of Prometheus, version 0.0.4.
  std::string page() const;

 private:
  prometheus::Registry registry_;
  std::map<std::string_view, prometheus::Family<Counter>*> counters_;
  std::map<std::string_view, prometheus::Family<Gauge>*> gauges_;
  std::map<std::string_view, Histogram*> histograms_;
};

/// Metrics carry seconds.
double seconds(Duration duration);

}  // namespace reconciled
