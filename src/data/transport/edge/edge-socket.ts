import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { SocketClient, TabletHost } from '../../../platform/host';
import type { Ack, EdgeEvent, EdgeMessage, EdgeReplies, EdgeUpdate } from '../../../protocol/edge-socket';
import { EDGE_SOCKET_PATH } from '../../../protocol/edge-socket';
import { Emitter } from '../../../base/emitter';

const CONNECT_TIMEOUT_MS = 20_000;

interface PendingRequest {
  readonly fail: (error: ReefError) => void;
}

/**
 * Connection to a box: typed messages, each with its reply or a named error within the receipt timeout (1§9). It does
 * not reconnect and sends nothing twice: the caller retries.
 */
export class EdgeSocket {
  readonly updates = new Emitter<EdgeUpdate>();
  /** Notices of the box to the current user, sent with a reply. */
  readonly notices = new Emitter<string>();
  readonly lost = new Emitter<void>();
  /** True while a reply takes longer than the slow threshold. */
  readonly slow = new Emitter<boolean>();
  readonly #pending = new Set<PendingRequest>();
  #client: SocketClient | undefined;
  #closed = false;

  readonly #host: TabletHost;

  constructor(
    host: TabletHost,
    readonly origin: string,
  ) {
    this.#host = host;
  }

  get connected(): boolean {
    return this.#client?.connected === true && !this.#closed;
  }

  /** @throws ReefError `disconnected` if the connection fails, `timeout` if it takes too long */
  async connect(): Promise<void> {
    const client = await this.#host.openSocket(this.origin, EDGE_SOCKET_PATH);
    if (this.#closed) throw new ReefError('disconnected');
    this.#client = client;
    await new Promise<void>((resolve, reject) => {
      const fail = (error: ReefError): void => {
        stopListening();
        cancel();
        reject(error);
        this.close();
      };
      const cancel = this.#host.timers.after(CONNECT_TIMEOUT_MS, () => fail(new ReefError('timeout')));
      const stopListening = this.lost.subscribe(() => fail(new ReefError('disconnected')));
      client.on('connect', () => {
        stopListening();
        cancel();
        resolve();
      });
      client.on('connect_error', (error: Error) => fail(new ReefError('disconnected', { cause: error })));
      client.on('disconnect', () => this.#end());
      client.on('update', (update: EdgeUpdate) => this.updates.emit(update));
      client.connect();
    });
    if (this.#closed) throw new ReefError('disconnected');
  }

  /**
   * Sends one message and waits for its reply.
   *
   * @param bytes of `image:binary`
   * @throws ReefError from the box; `disconnected`, `timeout`: the box may have processed it anyway
   */
  request<Event extends EdgeEvent>(
    event: Event,
    message: EdgeMessage<Event>,
    bytes?: Uint8Array,
  ): Promise<EdgeReplies[Event]> {
    const client = this.#client;
    if (client === undefined || !this.connected) return Promise.reject(new ReefError('disconnected'));
    return new Promise((resolve, reject) => {
      const entry: PendingRequest = {
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      const settle = (): void => {
        cancelTimeout();
        cancelSlow();
        this.#pending.delete(entry);
      };
      const cancelTimeout = this.#host.timers.after(LIMITS.receiptTimeoutMs, () =>
        entry.fail(new ReefError('timeout')),
      );
      const cancelSlow = this.#host.timers.after(LIMITS.slowConnectionMs, () => this.slow.emit(true));
      this.#pending.add(entry);
      const onAck = (ack: Ack<EdgeReplies[Event]> | undefined): void => {
        if (!this.#pending.has(entry)) return;
        settle();
        this.slow.emit(false);
        const notice = ack?.ok === true ? (ack as { readonly notice?: unknown }).notice : undefined;
        if (typeof notice === 'string' && notice !== '') this.notices.emit(notice);
        if (ack?.ok === true) resolve(ack);
        else
          reject(
            ReefError.fromWire(
              ack?.error ?? { code: 'internal', message: 'The box sent an invalid reply. Your work is safe here.' },
            ),
          );
      };
      if (bytes === undefined) client.emit(event, message, onAck);
      else client.emit(event, message, bytes, onAck);
    });
  }

  close(): void {
    this.#client?.disconnect();
    this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    // A timed-out message would stay in the buffer and be sent again automatically after a reconnect.
    if (this.#client !== undefined) this.#client.sendBuffer = [];
    for (const { fail } of [...this.#pending]) fail(new ReefError('disconnected'));
    this.lost.emit();
  }
}
