# SPDX-License-Identifier: Apache-2.0
# Hashes the functions that the cleanup mark stands on as sql/mark.sql has them: SHA-256 of the text
# that PostgreSQL keeps in prosrc, which is what stands between the two $function$. Computed from
# the installed file itself, so that file and binary cannot drift apart.
# Included by the build it declares the custom target; run with `cmake -P` it writes the header.
set(mark_functions refuse_claim_below_mark refuse_lower_mark)
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(header "// SPDX-License-Identifier: Apache-2.0\n// Written by cmake/function_identities.cmake.\n#pragma once\n\n#include \"sql/function_identity.hpp\"\n\nnamespace reconciled::sql {\ninline constexpr FunctionIdentity kMarkFunctions[] = {\n")
  file(READ ${IN} text)
  foreach(name IN LISTS mark_functions)
    foreach(before "CREATE OR REPLACE FUNCTION ${name}()" "AS $function$")
      string(FIND "${text}" "${before}" at)
      if(at EQUAL -1)
        message(FATAL_ERROR "${IN}: no '${before}' for ${name}")
      endif()
      string(LENGTH "${before}" length)
      math(EXPR at "${at} + ${length}")
      string(SUBSTRING "${text}" ${at} -1 text)
    endforeach()
    string(FIND "${text}" "$function$" end)
    string(SUBSTRING "${text}" 0 ${end} body)
    string(SHA256 hash "${body}")
    string(APPEND header "    {\"${name}\", \"${hash}\"},\n")
    file(READ ${IN} text)
  endforeach()
  string(APPEND header "};\n}  // namespace reconciled::sql\n")
  file(CONFIGURE OUTPUT ${OUT} CONTENT "@header@" @ONLY)
  return()
endif()

set(identities_header ${PROJECT_BINARY_DIR}/generated/sql/function_identities.hpp)
add_custom_command(
  OUTPUT ${identities_header}
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/sql/mark.sql -DOUT=${identities_header}
          -P ${PROJECT_SOURCE_DIR}/cmake/function_identities.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/sql/mark.sql ${PROJECT_SOURCE_DIR}/cmake/function_identities.cmake
  COMMENT "Hashing the mark's functions")
add_custom_target(function_identities DEPENDS ${identities_header})
