import { createHash } from 'node:crypto';
import path from 'node:path';

/**
 * Paths in a blob store: `partials/<uploadId>.part` and `.json`, `blobs/ab/cd/<sha256>`, `quarantine/`, and
 * `recent.log`, the journal of blobs since the last clean shutdown. Only these two forms of names from a wire become
 * paths.
 */
export class BlobLayout {
  readonly root: string;
  readonly blobs: string;
  readonly partials: string;
  readonly quarantine: string;
  readonly journal: string;

  constructor(root: string) {
    this.root = path.resolve(root);
    this.blobs = path.join(this.root, 'blobs');
    this.partials = path.join(this.root, 'partials');
    this.quarantine = path.join(this.root, 'quarantine');
    this.journal = path.join(this.root, 'recent.log');
  }

  part(uploadId: string): string {
    return path.join(this.partials, `${uploadId}.part`);
  }

  sidecar(uploadId: string): string {
    return path.join(this.partials, `${uploadId}.json`);
  }

  /** `blobs/ab` */
  shard(sha256: string): string {
    return path.join(this.blobs, sha256.slice(0, 2));
  }

  /** `blobs/ab/cd` */
  target(sha256: string): string {
    return path.join(this.shard(sha256), sha256.slice(2, 4));
  }

  blob(sha256: string): string {
    return path.join(this.target(sha256), sha256);
  }
}

/** Id of a transfer: the same for the same owner and hash, so that a restart finds it again. */
export function uploadIdOf(owner: string, sha256: string): string {
  return createHash('sha256').update(`${owner}\n${sha256}`, 'utf8').digest('hex').slice(0, 32);
}

export function isUploadId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

export function isSha256(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
