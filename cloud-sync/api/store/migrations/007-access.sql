-- Operations that are in quarantine only because their writer may not (yet): what each waits for, and who brought it. They are
-- judged again when that comes.
CREATE TABLE held (
  op_id text COLLATE "C" PRIMARY KEY,
  waits_for text COLLATE "C" NOT NULL,
  brought_device text COLLATE "C",
  brought_node text COLLATE "C",
  brought_person text COLLATE "C",
  vouched boolean NOT NULL
);
CREATE INDEX held_by_wait ON held (waits_for);

-- Who brought a record that waits for its bytes, as far as its judgement asks.
ALTER TABLE parked
  ADD COLUMN brought_person text COLLATE "C",
  ADD COLUMN vouched boolean NOT NULL DEFAULT false;
UPDATE parked SET brought_person = by_person WHERE brought_device IS NULL AND brought_node IS NULL;

-- Who brought the last byte of a photograph: they may read it back, whatever becomes of its record.
CREATE TABLE blob_bringers (
  sha256 text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  PRIMARY KEY (sha256, subject)
);

-- What boxes sign receipts with. Who shows one for an operation was let in aboard.
CREATE TABLE box_receipt_keys (
  kid text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  x text NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (kid, node)
);
