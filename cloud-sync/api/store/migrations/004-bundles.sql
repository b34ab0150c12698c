-- Sealed bundles: signing keys of boxes, and imports.

CREATE TABLE box_keys (
  kid text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL,
  x text NOT NULL,
  -- Who vouched for it as the box's: 'box' (by its token) or 'staff'.
  how text NOT NULL,
  added_at timestamptz NOT NULL,
  person text COLLATE "C"
);
CREATE INDEX box_keys_by_node ON box_keys (node);

CREATE TABLE bundle_imports (
  id text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL,
  name text NOT NULL,
  store_epoch text COLLATE "C" NOT NULL,
  ops_sha256 text COLLATE "C" NOT NULL,
  imported_at timestamptz NOT NULL,
  kid text NOT NULL,
  person text COLLATE "C",
  from_seq bigint NOT NULL,
  to_seq bigint NOT NULL,
  done jsonb NOT NULL
);
CREATE INDEX bundle_imports_by_node ON bundle_imports (node, store_epoch, ops_sha256);
