-- Time at which a session passed the second factor; null: it did not.
ALTER TABLE auth."session" ADD factor_at timestamptz;

-- Secret of one-time codes (RFC 6238), sealed under the accounts' secret. Each code counts once: last_step is the latest
-- step of which one was used. Until the owner has typed a first code, the row is a draft of one session.
CREATE TABLE auth.one_time_code (
  uid text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  draft_of text NOT NULL DEFAULT '',
  secret text NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  made_at timestamptz NOT NULL,
  PRIMARY KEY (uid, draft_of)
);

-- Keyed hashes of recovery codes, each valid once.
CREATE TABLE auth.recovery_code (
  uid text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (uid, code_hash)
);
