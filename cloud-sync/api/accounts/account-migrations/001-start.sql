CREATE TABLE auth."user" (
  "id" text PRIMARY KEY,
  "name" text NOT NULL,
  "email" text NOT NULL UNIQUE,
  "emailVerified" boolean NOT NULL,
  "image" text,
  "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updatedAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE auth."session" (
  "id" text PRIMARY KEY,
  "expiresAt" timestamptz NOT NULL,
  "token" text NOT NULL UNIQUE,
  "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updatedAt" timestamptz NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  "userId" text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE
);
CREATE INDEX "session_userId_idx" ON auth."session" ("userId");
CREATE TABLE auth."account" (
  "id" text PRIMARY KEY,
  "accountId" text NOT NULL,
  "providerId" text NOT NULL,
  "userId" text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  "scope" text,
  "password" text,
  "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updatedAt" timestamptz NOT NULL
);
CREATE INDEX "account_userId_idx" ON auth."account" ("userId");
CREATE TABLE auth."verification" (
  "id" text PRIMARY KEY,
  "identifier" text NOT NULL,
  "value" text NOT NULL,
  "expiresAt" timestamptz NOT NULL,
  "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updatedAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "verification_identifier_idx" ON auth."verification" ("identifier");
CREATE TABLE auth."jwks" (
  "id" text PRIMARY KEY,
  "publicKey" text NOT NULL,
  "privateKey" text NOT NULL,
  "createdAt" timestamptz NOT NULL,
  "expiresAt" timestamptz,
  "alg" text,
  "crv" text
);

CREATE TABLE auth.secret (single boolean PRIMARY KEY CHECK (single), value text NOT NULL);

-- Roles of a person, set only by the server.
CREATE TABLE auth.person (
  uid text PRIMARY KEY REFERENCES auth."user" ("id") ON DELETE CASCADE,
  staff boolean NOT NULL DEFAULT false,
  domains text[] NOT NULL DEFAULT '{}'
);

-- One row per address, so that codes can be counted. code_hash is null once the code was used.
CREATE TABLE auth.login_code (
  email text PRIMARY KEY,
  code_hash text,
  attempts integer NOT NULL,
  expires_at timestamptz NOT NULL,
  window_from timestamptz NOT NULL,
  window_count integer NOT NULL
);
CREATE INDEX login_code_window ON auth.login_code (window_from);

CREATE TABLE auth.custom_token (
  token_hash text PRIMARY KEY,
  uid text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX custom_token_expiry ON auth.custom_token (expires_at);

-- One row per registration. device_id is the tablet's id in the cloud: the one it names, unless that is another's.
CREATE TABLE auth.device (
  credential_hash text PRIMARY KEY,
  device_id text NOT NULL,
  named_id text NOT NULL,
  name text NOT NULL,
  registered_by text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
  session_id text,
  created_at timestamptz NOT NULL,
  seen_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX device_by_id ON auth.device (device_id);
CREATE INDEX device_by_named_id ON auth.device (named_id);
CREATE INDEX device_by_person ON auth.device (registered_by);
