-- Initial schema. `ops` is the source of truth, as sent; `feed` has one row per entry with its receipt (an operation
-- and its receipt share a seq); everything else can be rebuilt.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE ops (
  seq INTEGER PRIMARY KEY,
  op_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  by_person TEXT,
  accepted INTEGER NOT NULL,
  ashore INTEGER NOT NULL DEFAULT 0,
  op TEXT NOT NULL
);
CREATE INDEX ops_by_doc ON ops (kind, doc_id);
CREATE INDEX ops_owed ON ops (seq) WHERE ashore = 0;

CREATE TABLE feed (
  seq INTEGER PRIMARY KEY,
  op_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  device TEXT NOT NULL,
  stage TEXT NOT NULL,
  node_id TEXT NOT NULL,
  store_epoch TEXT NOT NULL,
  node_seq INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  receipt TEXT NOT NULL
);
CREATE UNIQUE INDEX feed_once ON feed (op_id, node_id, store_epoch, node_seq);

CREATE TABLE docs (
  kind TEXT NOT NULL,
  doc_id TEXT NOT NULL,
  folded TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  survey_id TEXT,
  counted TEXT NOT NULL,
  PRIMARY KEY (kind, doc_id)
);
CREATE INDEX docs_by_survey ON docs (survey_id, kind, deleted, doc_id) WHERE survey_id IS NOT NULL;

CREATE TABLE image_blobs (
  image_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  here INTEGER NOT NULL,
  ashore INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (image_id, sha256)
) WITHOUT ROWID;
CREATE INDEX image_blobs_by_hash ON image_blobs (sha256);

CREATE TABLE counters (name TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (name, id)) WITHOUT ROWID;
