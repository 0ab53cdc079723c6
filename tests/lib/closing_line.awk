# SPDX-License-Identifier: Apache-2.0
# Counts the test cases of one program's output: prints "passed failed skipped", or nothing when the
# program said nothing that can be counted. Understands the closing lines of Catch2 2 and 3
#   All tests passed (98 assertions in 12 test cases)
#   test cases: 5 | 2 passed | 1 failed | 1 failed as expected | 1 skipped
# and the lines of the scripted tests: "ok - NAME", "not ok - NAME", "skip - NAME: reason".
function number_before(line, words,   at) {
  if (!match(line, "[0-9]+ " words)) return 0
  return substr(line, RSTART, RLENGTH) + 0
}
/^All tests passed \(/ { catch2 = 1; passed += number_before($0, "test case") }
/^test cases: / {
  catch2 = 1
  expected = number_before($0, "failed as expected")
  sub(/[0-9]+ failed as expected/, "")
  passed += number_before($0, "passed") + expected
  failed += number_before($0, "failed")
  skipped += number_before($0, "skipped")
}
/^ok - / { ok++ }
/^not ok - / { not_ok++ }
/^skip - / { skips++ }
END {
  # Catch2 2 cannot skip: a case that prints a skip line returns early, and was counted as passed.
  if (catch2) { ok = skips > passed ? -passed : -skips; not_ok = 0 }
  if (catch2 || ok || not_ok || skips) print passed + ok, failed + not_ok, skipped + skips
}
