-- SPDX-License-Identifier: Apache-2.0
-- Which contract this schema holds. The daemon refuses one that is older or newer than it knows.
CREATE TABLE IF NOT EXISTS contract_version (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version int NOT NULL CHECK (version >= 1)
);
COMMENT ON TABLE contract_version IS 'The version of the SQL contract; one row.';

INSERT INTO contract_version (version) VALUES (1) ON CONFLICT DO NOTHING;

DO $$
DECLARE
  installed int := (SELECT version FROM contract_version);
BEGIN
  IF installed <> 1 THEN
    RAISE EXCEPTION 'this schema holds contract version %, and this is the installer of version 1',
      installed
    USING HINT = 'Run the install.sql that belongs to the installed version, or a newer one.';
  END IF;
END
$$;
