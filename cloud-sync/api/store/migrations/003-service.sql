-- State of the service apart from the census.

-- Credentials of boxes that staff registered; only the SHA-256 (base64url) of each is stored.
CREATE TABLE box_tokens (
  token_hash text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  -- If set, valid for this box alone; else for the first one that uses it.
  node text COLLATE "C",
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);

-- Boxes that have called, each with its latest credential.
CREATE TABLE boxes (
  node text COLLATE "C" PRIMARY KEY,
  token_hash text COLLATE "C" NOT NULL,
  name text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  revoked_at timestamptz,
  report jsonb
);
CREATE INDEX boxes_by_token ON boxes (token_hash, last_seen_at DESC);

-- Reference data, JSON by name.
CREATE TABLE reference_data (
  name text COLLATE "C" PRIMARY KEY,
  body text NOT NULL,
  etag text NOT NULL,
  stored_at timestamptz NOT NULL
);

-- Secrets and public keys that all processes of the service share.
CREATE TABLE shared_settings (
  name text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

-- Error reports and usage counts of apps, stored for a limited time.
CREATE TABLE client_logs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  entry jsonb NOT NULL
);
CREATE TABLE analytics_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  name text NOT NULL,
  entry jsonb NOT NULL
);
