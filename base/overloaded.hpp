// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace reconciled {

/// std::visit with one lambda an alternative: a new alternative without a lambda stops the build.
template <class... Lambdas>
struct overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
overloaded(Lambdas...) -> overloaded<Lambdas...>;

}  // namespace reconciled
