-- SPDX-License-Identifier: Apache-2.0
-- What refuses the second use of a grant: a stored grant's own row, or, for a self-contained token,
-- the row that its first use leaves behind.

-- The row form. The issuing side of the service inserts issuer, grant_id and expires_at; the rest
-- is written by admit_row_grant and revoke_row_grant alone.
CREATE TABLE IF NOT EXISTS grants (
  issuer text NOT NULL,
  grant_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  consumed_at timestamptz,
  consumed_by_operation uuid,
  PRIMARY KEY (issuer, grant_id),
  CONSTRAINT grants_issuer_length CHECK (char_length(issuer) BETWEEN 1 AND 255),
  CONSTRAINT grants_grant_id_length CHECK (char_length(grant_id) BETWEEN 1 AND 255),
  CONSTRAINT grants_expiry_finite CHECK (isfinite(expires_at)),
  CONSTRAINT grants_consumed_by_an_operation
    CHECK ((consumed_at IS NULL) = (consumed_by_operation IS NULL)),
  -- Whichever of the two came first has the row.
  CONSTRAINT grants_consumed_or_revoked CHECK (consumed_at IS NULL OR revoked_at IS NULL)
);
COMMENT ON TABLE grants IS 'Stored one-time grants. Spent or revoked, and never both.';

DO $$
BEGIN
  -- A service's own table may stand behind a view of this name (adopt.sql).
  IF to_regclass('grant_consumptions') IS NULL THEN
    CREATE TABLE grant_consumptions (
      issuer text NOT NULL,
      grant_id text NOT NULL,
      -- Null: revoked before anybody used it.
      operation_id uuid,
      consumed_at timestamptz NOT NULL,
      retain_until timestamptz NOT NULL,
      PRIMARY KEY (issuer, grant_id),
      CONSTRAINT grant_consumptions_issuer_length
        CHECK (char_length(issuer) BETWEEN 1 AND 255),
      CONSTRAINT grant_consumptions_grant_id_length
        CHECK (char_length(grant_id) BETWEEN 1 AND 255),
      CONSTRAINT grant_consumptions_retention_finite CHECK (isfinite(retain_until))
    );
    -- The sweep takes the oldest first.
    CREATE INDEX grant_consumptions_by_retention ON grant_consumptions (retain_until);
    COMMENT ON TABLE grant_consumptions IS
      'One row for each token that was spent or revoked. Deleted only below the cleanup mark.';
    COMMENT ON COLUMN grant_consumptions.retain_until IS
      'Expiry plus admission_leeway: from then on the deadline refuses the token by itself.';
  END IF;
END
$$;
