-- Photographs whose pictures broke the process that made them; not tried again until staff ask.
CREATE TABLE broken_pictures (
  sha256 text COLLATE "C" PRIMARY KEY,
  why text NOT NULL,
  broke_at timestamptz NOT NULL DEFAULT now()
);
