import type pg from 'pg';
import type { Caller } from './caller';
import { canReadBlob, recordUploader } from './access-reads';

/** Read access to photographs' bytes: staff read all, others according to {@link canReadBlob}. */
export class BlobAccess {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async canRead(sha256: string, caller: Caller): Promise<boolean> {
    return caller.roles.has('staff') || canReadBlob(this.#pool, sha256, caller, caller.roles.has('box'));
  }

  recordUploader(sha256: string, caller: Caller): Promise<void> {
    return recordUploader(this.#pool, sha256, caller);
  }
}
