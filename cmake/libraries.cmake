# SPDX-License-Identifier: Apache-2.0
# Every library the project may use, by the short name that a room links (design: the parts table).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(CURL 7.80 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx>=6.4)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)

# Their headers are not ours to warn about.
function(part name)
  add_library(part_${name} INTERFACE)
  target_link_libraries(part_${name} INTERFACE ${ARGN})
endfunction()

part(boost Boost::headers Threads::Threads)
target_compile_definitions(part_boost INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
part(fmt fmt::fmt)
part(yaml-cpp yaml-cpp)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
part(pqxx PkgConfig::PQXX PkgConfig::PQ)  # libpq comes with libpqxx: its connection string parser is used
part(curl CURL::libcurl)
part(spdlog spdlog::spdlog)
part(cli11 CLI11::CLI11)
part(systemd PkgConfig::SYSTEMD)
part(prometheus PkgConfig::PROMETHEUS)
