-- Passkeys (WebAuthn). public_key is a COSE key; counter is the latest that the authenticator reported.
CREATE TABLE auth.passkey (
  id text PRIMARY KEY,
  uid text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL DEFAULT '{}',
  name text NOT NULL,
  made_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX passkey_by_person ON auth.passkey (uid);

-- Challenges for passkeys, one a session and purpose, each answered once.
CREATE TABLE auth.passkey_challenge (
  session_id text NOT NULL REFERENCES auth."session" ("id") ON DELETE CASCADE,
  purpose text NOT NULL,
  challenge text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (session_id, purpose)
);
