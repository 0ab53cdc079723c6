-- SPDX-License-Identifier: Apache-2.0
-- Which daemon looks again at what was left to a person: one at a time, and without a lock held
-- while it asks. Not ownership: it gives no right over an operation.
CREATE TABLE IF NOT EXISTS late_truth_turn (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder uuid,
  until timestamptz NOT NULL DEFAULT '-infinity'
);
COMMENT ON TABLE late_truth_turn IS 'One row: whose turn it is to look late, and until when.';

INSERT INTO late_truth_turn DEFAULT VALUES ON CONFLICT DO NOTHING;
