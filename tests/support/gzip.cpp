// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <stdexcept>

#include "tests/support/test_provider.hpp"

namespace reconciled::test {
namespace {

void append_little_endian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xffU);
}

}  // namespace

std::string gzipped(std::string_view plain) {
  namespace zlib = boost::beast::zlib;
  zlib::deflate_stream stream;
  stream.reset(9, 15, 8, zlib::Strategy::normal);
  std::string out{"\x1f\x8b\x08\0\0\0\0\0\0\xff", 10};
  zlib::z_params state;
  state.next_in = plain.data();
  state.avail_in = plain.size();
  std::array<char, 16384> buffer{};
  boost::system::error_code error;
  while (error != zlib::error::end_of_stream) {
    state.next_out = buffer.data();
    state.avail_out = buffer.size();
    stream.write(state, zlib::Flush::finish, error);
    out.append(buffer.data(), buffer.size() - state.avail_out);
    if (error && error != zlib::error::end_of_stream) throw std::runtime_error{error.message()};
  }
  boost::crc_32_type crc;
  crc.process_bytes(plain.data(), plain.size());
  append_little_endian(out, crc.checksum());
  append_little_endian(out, static_cast<std::uint32_t>(plain.size()));
  return out;
}

}  // namespace reconciled::test
