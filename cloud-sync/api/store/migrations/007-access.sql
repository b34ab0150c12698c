-- Operations held only because their author lacks access (for now): what each waits for, and its submitter. They are
-- retried when that happens.
CREATE TABLE held (
  op_id text COLLATE "C" PRIMARY KEY,
  waits_for text COLLATE "C" NOT NULL,
  brought_device text COLLATE "C",
  brought_node text COLLATE "C",
  brought_person text COLLATE "C",
  vouched boolean NOT NULL
);
CREATE INDEX held_by_wait ON held (waits_for);

-- Submitter of a parked record, as far as its admission needs it.
ALTER TABLE parked
  ADD COLUMN brought_person text COLLATE "C",
  ADD COLUMN vouched boolean NOT NULL DEFAULT false;
UPDATE parked SET brought_person = by_person WHERE brought_device IS NULL AND brought_node IS NULL;

-- Submitter of the last byte of a photograph, who may read it back whatever becomes of its record.
CREATE TABLE blob_bringers (
  sha256 text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  PRIMARY KEY (sha256, subject)
);

-- Receipt keys of boxes. A caller with a box receipt for an operation was admitted aboard.
CREATE TABLE box_receipt_keys (
  kid text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  x text NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (kid, node)
);
