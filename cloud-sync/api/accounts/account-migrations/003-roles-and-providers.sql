ALTER TABLE auth.person
  ADD admin boolean NOT NULL DEFAULT false,
  ADD is_expert boolean NOT NULL DEFAULT false,
  ADD verified boolean NOT NULL DEFAULT false,
  -- Can no longer sign in; tablets and boxes are notified.
  ADD disabled_at timestamptz,
  -- Signed in without an address; "email" in auth."user" is a placeholder that no mail reaches.
  ADD anonymous boolean NOT NULL DEFAULT false,
  -- True if the owner chose the password; false for the random one of a new account.
  ADD chose_password boolean NOT NULL DEFAULT false,
  ADD last_login_at timestamptz,
  ADD photo_sha256 text;

-- Sign-in links, valid once.
CREATE TABLE auth.mail_link (
  token_hash text PRIMARY KEY,
  email text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX mail_link_expiry ON auth.mail_link (expires_at);

-- Pending sign-ins at a provider; uid: the person who links it to their account.
CREATE TABLE auth.provider_turn (
  state_hash text PRIMARY KEY,
  provider text NOT NULL,
  origin text NOT NULL,
  uid text REFERENCES auth."user" ("id") ON DELETE CASCADE,
  verifier text NOT NULL,
  nonce text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX provider_turn_expiry ON auth.provider_turn (expires_at);
CREATE UNIQUE INDEX account_of_provider ON auth."account" ("providerId", "accountId");

-- Audit log of roles, links and revocations: what was done to whom, and by whom.
CREATE TABLE auth.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  by_uid text,
  action text NOT NULL,
  about text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_about ON auth.audit (about, id);
