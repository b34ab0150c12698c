import type { Migration } from './migration';

/**
 * What was freed on the cloud's word (protocol, "Freeing"). `gone`: the file is deleted, durably; without it a crash may have come in
 * between, and the next start looks. The first index gives the cloud's receipts for photographs in the order in which they were verified
 * here, the second the few operations that are in quarantine.
 */
export const freed: Migration = {
  version: 2,
  sql: `
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
  `,
};
