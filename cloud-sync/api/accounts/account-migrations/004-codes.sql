-- Codes by mail: one row for each purpose and whom it is about, of which there is a keyed hash. nonce, of which the code is made, is
-- null once the code was used.
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

-- How often something was tried within a while; about: a keyed hash of an address, and of where from.
CREATE TABLE auth.tries (
  what text NOT NULL,
  about text NOT NULL,
  count integer NOT NULL,
  window_from timestamptz NOT NULL,
  window_ends timestamptz NOT NULL,
  PRIMARY KEY (what, about)
);
CREATE INDEX tries_window ON auth.tries (window_ends);
