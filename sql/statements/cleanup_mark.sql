-- SPDX-License-Identifier: Apache-2.0
-- How far rows may have been deleted: the mark in us, null at first; and whether a sweep may raise
-- it. No row: there is no mark, and no grant is admitted.
SELECT
  CASE WHEN isfinite(cut_off) THEN (extract(epoch FROM cut_off) * 1000000)::bigint END
    AS cut_off_us,
  has_column_privilege('reconciled_retention', 'cleanup_mark', 'cut_off', 'UPDATE')
    AND has_column_privilege('reconciled_retention', 'cleanup_mark', 'cut_off', 'SELECT')
    AS may_raise
FROM cleanup_mark
