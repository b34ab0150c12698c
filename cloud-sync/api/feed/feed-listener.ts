import { Backoff } from '../../../src/base/backoff';
import pg from 'pg';
import { FEED_CHANNEL } from '../store/writer';

const RECONNECT_DELAYS = { firstMs: 100, maxMs: 5000 };

/**
 * Listens on its own connection for growth of the feed by any process. Hints may be lost while disconnected, so
 * `onGrown` is called after each reconnection, without a number.
 */
export class FeedListener {
  readonly #url: string;
  readonly #onGrown: (seq: number | undefined) => void;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  readonly #backoff = new Backoff(RECONNECT_DELAYS);

  constructor(url: string, onGrown: (seq: number | undefined) => void) {
    this.#url = url;
    this.#onGrown = onGrown;
  }

  /** @throws Error if the first connection fails; later ones are retried until they succeed */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true,
      application_name: 'reef-census feed',
      connectionTimeoutMillis: 10_000,
    });
    client.on('error', () => this.#reconnect(client));
    client.on('end', () => this.#reconnect(client));
    client.on('notification', ({ payload }) => {
      const seq = Number(payload);
      this.#onGrown(Number.isSafeInteger(seq) ? seq : undefined);
    });
    this.#client = client;
    await client.connect();
    await client.query(`LISTEN ${FEED_CHANNEL}`);
    this.#backoff.reset();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  #reconnect(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = undefined;
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.open().then(
        () => this.#onGrown(undefined),
        () => this.#retryReconnect(),
      );
    }, this.#backoff.next());
  }

  #retryReconnect(): void {
    const client = this.#client;
    if (client !== undefined) this.#reconnect(client);
  }
}
