# SPDX-License-Identifier: Apache-2.0
# Embeds sql/statements/*.sql as constants: take_over.sql becomes reconciled::sql::statements::take_over.
# Included by the build it declares the custom target; run with `cmake -P` it writes the header.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  set(header "// SPDX-License-Identifier: Apache-2.0\n// Written by cmake/embed_sql.cmake.\n#pragma once\n\n#include \"sql/statement.hpp\"\n\nnamespace reconciled::sql::statements {\n")
  file(GLOB paths ${IN}/*.sql)
  foreach(path IN LISTS paths)
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND header "inline constexpr Statement ${name}{\"${name}\", R\"sql(${text})sql\"};\n")
  endforeach()
  string(APPEND header "}  // namespace reconciled::sql::statements\n")
  file(CONFIGURE OUTPUT ${OUT} CONTENT "@header@" @ONLY)
  return()
endif()

file(GLOB statement_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sql/statements/*.sql)
set(statements_header ${PROJECT_BINARY_DIR}/generated/sql/statements.hpp)
add_custom_command(
  OUTPUT ${statements_header}
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/sql/statements -DOUT=${statements_header}
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake
  DEPENDS ${statement_files} ${PROJECT_SOURCE_DIR}/cmake/embed_sql.cmake
  COMMENT "Embedding SQL statements")
add_custom_target(embedded_statements DEPENDS ${statements_header})
