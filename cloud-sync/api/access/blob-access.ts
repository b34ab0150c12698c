import type pg from 'pg';
import type { Caller } from '../context';
import { canReadBlob, recordUploader } from './access-reads';

/** Who may read the bytes of photographs: staff all, others what {@link canReadBlob} says. */
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
