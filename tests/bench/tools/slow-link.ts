import net from 'node:net';

/** Link with a bit rate and a delay, simulated by a proxy. */
export interface SlowLink {
  readonly port: number;
  /** Bytes sent up since the start. */
  readonly up: number;
  close(): Promise<void>;
}

/** Buffer of a link before its sender must wait, ms of its rate, like a modem's. */
const BUFFER_MS = 1500;

/** One direction of the link: all connections share its rate, and each byte is delayed. */
class Pipe {
  bytes = 0;
  #freeAt = 0;
  readonly #timers = new Set<NodeJS.Timeout>();

  readonly #bytesPerSecond: number;
  readonly #delayMs: number;

  constructor(bytesPerSecond: number, delayMs: number) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#delayMs = delayMs;
  }

  carry(from: net.Socket, to: net.Socket): void {
    from.on('data', (piece: Buffer) => {
      const now = performance.now();
      this.bytes += piece.length;
      this.#freeAt = Math.max(now, this.#freeAt) + (piece.length / this.#bytesPerSecond) * 1000;
      this.#later(this.#freeAt - now + this.#delayMs, () => void (to.destroyed || to.write(piece)));
      const held = this.#freeAt - now;
      if (held <= BUFFER_MS) return;
      from.pause();
      this.#later(held - BUFFER_MS, () => from.resume());
    });
    from.on('end', () => this.#later(Math.max(0, this.#freeAt - performance.now()) + this.#delayMs, () => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => this.#later(this.#delayMs + 100, () => to.destroy()));
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}

/**
 * Starts a slow link in front of a local server.
 *
 * @param bitsPerSecond each way, shared by all connections
 * @param roundTripMs half of it each way
 */
export async function startSlowLink(targetPort: number, bitsPerSecond: number, roundTripMs: number): Promise<SlowLink> {
  const [up, down] = [new Pipe(bitsPerSecond / 8, roundTripMs / 2), new Pipe(bitsPerSecond / 8, roundTripMs / 2)];
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, highWaterMark: 4096 }, (client) => {
    const upstream = net.connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    up.carry(client, upstream);
    down.carry(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    get up() {
      return up.bytes;
    },
    close: () =>
      new Promise((resolve) => {
        up.close();
        down.close();
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
