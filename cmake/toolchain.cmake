# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

option(RECONCILED_TESTS "build the tests" ON)
option(RECONCILED_FUZZ "build the fuzzers, which need clang" OFF)
set(RECONCILED_SANITIZE "" CACHE STRING "list for -fsanitize=, empty for none")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Coroutine frames and std::variant draw false alarms of these kinds from g++ 12 to 14 at -O2.
  add_compile_options(-Wno-maybe-uninitialized -Wno-mismatched-new-delete)
endif()
if(RECONCILED_SANITIZE)
  add_compile_options(-fsanitize=${RECONCILED_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O0 -g1)
  add_link_options(-fsanitize=${RECONCILED_SANITIZE})
else()
  add_compile_options(-fstack-protector-strong)
  add_link_options(-Wl,-z,relro,-z,now)
endif()
