-- SPDX-License-Identifier: Apache-2.0
-- Announces a deletion: raises the mark to $1 (us) unless it stands higher, and is committed before
-- the first row goes. Returns where it stands; no row: there is no mark.
UPDATE cleanup_mark
SET cut_off = greatest(cut_off, timestamptz 'epoch' + $1::bigint * interval '1 microsecond')
RETURNING (extract(epoch FROM cut_off) * 1000000)::bigint AS cut_off_us
