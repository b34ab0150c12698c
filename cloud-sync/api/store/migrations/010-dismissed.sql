-- Quarantined operations that staff dismissed: stored and refused as before, and no longer listed.
CREATE TABLE dismissed (
  op_id text COLLATE "C" PRIMARY KEY,
  at timestamptz NOT NULL,
  by_person text COLLATE "C"
);
