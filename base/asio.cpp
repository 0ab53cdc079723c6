// SPDX-License-Identifier: Apache-2.0
// Asio is compiled once, here (BOOST_ASIO_SEPARATE_COMPILATION in cmake/libraries.cmake).
#include <boost/asio/impl/src.hpp>
