import net from 'node:net';
import { MessageShuffler, type Shuffle } from '../browser/frames';
import { seeded } from '../seed';

/** Direction of bytes: `up` from the client to the server, `down` back. */
export type Direction = 'up' | 'down';

/**
 * One-time fault of the connection that carries byte `after` (counted over all connections since arming) in that
 * direction.
 */
export type Fault =
  | { kind: 'cut'; towards: Direction; after: number }
  | { kind: 'reset'; towards: Direction; after: number }
  /** Forwards nothing more in either direction, silently. */
  | { kind: 'half-open'; towards: Direction; after: number };

/** User-space TCP proxy that breaks connections on purpose. */
export interface FaultProxy {
  readonly port: number;
  /** Arms one fault; it replaces one that has not fired. */
  arm(fault: Fault): void;
  /** True once the armed fault has fired. */
  readonly fired: boolean;
  /** Limits bytes a second in each direction; undefined: unlimited. */
  slow(bytesPerSecond: number | undefined): void;
  /** Duplicates, swaps and replays socket.io messages in both directions (in `messages` mode only). */
  shuffle(rates: Shuffle | undefined): void;
  /** Sends new connections to another port. */
  retarget(port: number): void;
  /** Bytes forwarded so far. */
  readonly bytes: { readonly up: number; readonly down: number };
  /** Connections open now. */
  readonly open: number;
  readonly counts: {
    connections: number;
    cut: number;
    reset: number;
    'half-open': number;
    duplicated: number;
    swapped: number;
    replayed: number;
  };
  close(): Promise<void>;
}

/**
 * Starts a proxy on a free loopback port in front of `targetPort`.
 *
 * @param look `messages`: passes WebSocket messages whole, so that they can be shuffled; `bytes`: as they come
 */
export async function startProxy(
  targetPort: number,
  seed = 1,
  look: 'bytes' | 'messages' = 'bytes',
): Promise<FaultProxy> {
  const random = seeded(seed);
  const pairs = new Set<Pair>();
  const counts = { connections: 0, cut: 0, reset: 0, 'half-open': 0, duplicated: 0, swapped: 0, replayed: 0 };
  const bytesPassed = { up: 0, down: 0 };
  let target = targetPort;
  let armed: Fault | undefined;
  let passed = 0;
  let rate: number | undefined;
  let rates: Shuffle | undefined;

  interface Pair {
    client: net.Socket;
    server: net.Socket;
    deaf: boolean;
    shufflers: MessageShuffler[];
  }

  const end = (pair: Pair, how: 'cut' | 'reset'): void => {
    pairs.delete(pair);
    for (const shuffler of pair.shufflers) shuffler.end();
    for (const socket of [pair.client, pair.server]) {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroy();
    }
  };

  /** Forwards the allowed bytes, then fires the armed fault at its byte. */
  const forward = (pair: Pair, towards: Direction, bytes: Buffer, to: net.Socket): void => {
    if (pair.deaf || to.destroyed) return;
    bytesPassed[towards] += bytes.length;
    const fault = armed;
    if (fault === undefined || fault.towards !== towards) {
      to.write(bytes);
      return;
    }
    const left = fault.after - passed;
    passed += bytes.length;
    if (bytes.length < left) {
      to.write(bytes);
      return;
    }
    armed = undefined;
    counts[fault.kind] += 1;
    const last = bytes.subarray(0, Math.max(0, left));
    pair.deaf = true;
    const finish = (): void => {
      if (fault.kind !== 'half-open') end(pair, fault.kind);
    };
    if (last.length > 0) to.write(last, finish);
    else finish();
  };

  const pipe = (pair: Pair, towards: Direction, from: net.Socket, to: net.Socket): void => {
    const shuffler =
      look === 'bytes'
        ? undefined
        : new MessageShuffler(
            () => rates,
            random,
            (bytes) => forward(pair, towards, bytes, to),
            counts,
          );
    if (shuffler !== undefined) pair.shufflers.push(shuffler);
    /** Forwards the piece that waits for its time on a slow connection. */
    let passNow: (() => void) | undefined;
    from.on('data', (bytes: Buffer) => {
      const pass = (): void => {
        if (shuffler === undefined) forward(pair, towards, bytes, to);
        else shuffler.push(bytes);
      };
      if (rate === undefined) {
        pass();
        if (to.writableNeedDrain) {
          from.pause();
          to.once('drain', () => from.resume());
        }
        return;
      }
      from.pause();
      const timer = setTimeout(() => passNow?.(), (bytes.length / rate) * 1000);
      passNow = () => {
        clearTimeout(timer);
        passNow = undefined;
        pass();
        from.resume();
      };
    });
    // Forwards an end, except on a half-open connection, which stays silent.
    from.on('end', () => {
      // An end is emitted on a paused socket too.
      passNow?.();
      if (!pair.deaf) to.end();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      passNow?.();
      for (const one of pair.shufflers) one.end();
      if (pair.deaf) return;
      pairs.delete(pair);
      to.destroySoon();
    });
  };

  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    counts.connections += 1;
    const upstream = net.connect({ port: target, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server: upstream, deaf: false, shufflers: [] };
    pairs.add(pair);
    pipe(pair, 'up', client, upstream);
    pipe(pair, 'down', upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;

  return {
    port,
    arm: (fault) => {
      armed = fault;
      passed = 0;
    },
    get fired() {
      return armed === undefined;
    },
    slow: (bytesPerSecond) => {
      rate = bytesPerSecond;
    },
    shuffle: (next) => {
      rates = next;
    },
    retarget: (next) => {
      target = next;
    },
    bytes: bytesPassed,
    get open() {
      return pairs.size;
    },
    counts,
    close: () =>
      new Promise<void>((resolve) => {
        for (const pair of [...pairs]) end(pair, 'cut');
        server.close(() => resolve());
      }),
  };
}
