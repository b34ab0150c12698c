import type pg from 'pg';
import type { Caller } from '../context';
import { mayReadBytes, noteBringer } from '../store/access-reads';

/** Who may read the bytes of photographs: staff all, others what {@link mayReadBytes} says. */
export class BytesReaders {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async mayRead(sha256: string, caller: Caller): Promise<boolean> {
    return caller.roles.has('staff') || mayReadBytes(this.#pool, sha256, caller, caller.roles.has('box'));
  }

  /** Somebody brought the last byte of a photograph. */
  brought(sha256: string, caller: Caller): Promise<void> {
    return noteBringer(this.#pool, sha256, caller);
  }
}
