-- Mailed codes: one row per purpose and keyed hash of the address. nonce, from which the code is derived, is null once
-- the code was used.
DROP TABLE auth.login_code;
CREATE TABLE auth.code (
  purpose text NOT NULL,
  about text NOT NULL,
  nonce text,
  attempts integer NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (purpose, about)
);
CREATE INDEX code_expiry ON auth.code (expires_at);

-- Number of attempts in a window; about: a keyed hash of the address and the network.
CREATE TABLE auth.tries (
  what text NOT NULL,
  about text NOT NULL,
  count integer NOT NULL,
  window_from timestamptz NOT NULL,
  window_ends timestamptz NOT NULL,
  PRIMARY KEY (what, about)
);
CREATE INDEX tries_window ON auth.tries (window_ends);
