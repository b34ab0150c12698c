-- Initial schema. `ops` is the source of truth, as sent; `feed` has one row per entry of the change feed; everything else
-- can be rebuilt from them.

-- Identity of this store, and the last number of its feed. The lock on its one row orders all writers of all processes:
-- later commits have greater numbers, so a reader at a number has read everything below it.
CREATE TABLE store (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  node_id text NOT NULL,
  store_epoch text NOT NULL,
  last_seq bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);

CREATE TABLE ops (
  op_id text COLLATE "C" PRIMARY KEY,
  -- Feed entry with its current receipt.
  seq bigint NOT NULL UNIQUE,
  kind text COLLATE "C" NOT NULL,
  doc_id text COLLATE "C" NOT NULL,
  by_person text COLLATE "C",
  accepted boolean NOT NULL,
  -- Canonical JSON of the whole operation, as sent.
  op text NOT NULL
);
CREATE INDEX ops_by_doc ON ops (kind, doc_id);
CREATE INDEX ops_quarantined ON ops (seq) WHERE NOT accepted;

CREATE TABLE feed (
  seq bigint PRIMARY KEY,
  -- If set, this entry repeats an older one for `subject`, which could not see it before.
  repeats bigint,
  op_id text COLLATE "C" NOT NULL,
  -- False for the receipt of another node.
  own boolean NOT NULL,
  -- Readers: those with a grant for the topic, and the subject.
  topic text COLLATE "C",
  subject text COLLATE "C",
  -- Device that wrote it, and its submitter.
  device text COLLATE "C" NOT NULL,
  brought_device text COLLATE "C",
  brought_node text COLLATE "C",
  node_id text COLLATE "C" NOT NULL,
  store_epoch text COLLATE "C" NOT NULL,
  node_seq bigint NOT NULL,
  -- Null if `repeats` leads to it.
  receipt text
);
CREATE UNIQUE INDEX feed_once ON feed (op_id, node_id, store_epoch, node_seq) WHERE repeats IS NULL;
CREATE INDEX feed_by_topic ON feed (topic, seq) WHERE topic IS NOT NULL;
CREATE INDEX feed_by_subject ON feed (subject, seq) WHERE subject IS NOT NULL;
CREATE INDEX feed_by_device ON feed (device, seq) WHERE repeats IS NULL;
CREATE INDEX feed_by_brought_device ON feed (brought_device, seq) WHERE brought_device IS NOT NULL;
CREATE INDEX feed_by_brought_node ON feed (brought_node, seq) WHERE brought_node IS NOT NULL;

-- Grants: who sees which topic, from which feed number on; older entries were repeated for them.
CREATE TABLE grants (
  subject text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (subject, topic)
);
CREATE INDEX grants_by_topic ON grants (topic);

CREATE TABLE docs (
  kind text COLLATE "C" NOT NULL,
  doc_id text COLLATE "C" NOT NULL,
  folded text NOT NULL,
  deleted boolean NOT NULL,
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  survey_id text COLLATE "C",
  counted text NOT NULL,
  PRIMARY KEY (kind, doc_id)
);
CREATE INDEX docs_by_survey ON docs (survey_id, kind, doc_id) WHERE survey_id IS NOT NULL;

CREATE TABLE counters (
  name text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (name, id)
);

-- Server-owned fields besides the counters, nested as documents show them.
CREATE TABLE owned_fields (
  kind text COLLATE "C" NOT NULL,
  doc_id text COLLATE "C" NOT NULL,
  owned text NOT NULL,
  PRIMARY KEY (kind, doc_id)
);

CREATE TABLE image_blobs (
  image_id text COLLATE "C" NOT NULL,
  sha256 text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  -- False if the record was accepted without its bytes.
  here boolean NOT NULL,
  -- The bytes were here and were found broken or missing.
  lost boolean NOT NULL DEFAULT false,
  PRIMARY KEY (image_id, sha256)
);
CREATE INDEX image_blobs_by_hash ON image_blobs (sha256);

-- Operations parked until their bytes arrive. They have no receipt and are not in the feed.
CREATE TABLE parked (
  op_id text COLLATE "C" PRIMARY KEY,
  op text NOT NULL,
  by_person text COLLATE "C",
  brought_device text COLLATE "C",
  brought_node text COLLATE "C",
  needs text[] NOT NULL,
  parked_at timestamptz NOT NULL
);
CREATE INDEX parked_by_need ON parked USING gin (needs);
