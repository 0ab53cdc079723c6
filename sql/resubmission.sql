-- SPDX-License-Identifier: Apache-2.0
-- The switch that trips when creating again has gone wrong anywhere; a person turns it on again.
-- Whether anything is created again at all is the operator's setting, recovery.resubmit.
CREATE TABLE IF NOT EXISTS resubmission_switch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  enabled boolean NOT NULL DEFAULT true,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_by text NOT NULL DEFAULT session_user,
  reason text NOT NULL DEFAULT 'installed'
);
COMMENT ON TABLE resubmission_switch IS 'One row, for every daemon of this database.';

INSERT INTO resubmission_switch DEFAULT VALUES ON CONFLICT DO NOTHING;
