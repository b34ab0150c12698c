-- Keys with which devices sign, certified for a person while signed in. A certificate ends by revocation alone: what
-- was signed before counts, and a session or token ends by itself.
CREATE TABLE auth.device_key (
  uid text NOT NULL,
  key text NOT NULL,
  certified_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (uid, key)
);
CREATE INDEX ON auth.device_key (key);

-- Key that answered for a session and, at registration, for a tablet; null from version 1.
ALTER TABLE auth."session" ADD device_key text;
ALTER TABLE auth.device ADD device_key text;
