-- Previews of photographs still aboard a box, removed when the photograph's bytes arrive.
CREATE TABLE previews (
  sha256 text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL,
  survey_id text COLLATE "C",
  made_at timestamptz NOT NULL,
  came_at timestamptz NOT NULL,
  -- WebP
  picture bytea NOT NULL
);
CREATE INDEX previews_of_box ON previews (node, made_at DESC, sha256);
