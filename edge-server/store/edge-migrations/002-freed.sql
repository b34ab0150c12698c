-- Bytes freed on the cloud's receipts (protocol, "Freeing"). `gone`: the file is durably deleted; without it the next
-- start checks. The first index lists the cloud's photograph receipts in order of verification, the second the few
-- operations in quarantine.
CREATE TABLE freed (
  sha256 TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  why TEXT NOT NULL,
  cloud_epoch TEXT NOT NULL,
  cloud_time TEXT NOT NULL,
  freed_at TEXT NOT NULL,
  gone INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX feed_photographs_ashore ON feed (store_epoch, seq) WHERE stage = 'cloud' AND kind = 'image' AND accepted = 1;
CREATE INDEX ops_refused ON ops (kind) WHERE accepted = 0;
