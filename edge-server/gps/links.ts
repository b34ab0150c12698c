import { createSocket } from 'node:dgram';
import net from 'node:net';

/** First wait before a new attempt (ms), doubled at each up to the last. */
const FIRST_WAIT_MS = 1_000;
const LAST_WAIT_MS = 30_000;
const CONNECT_MS = 10_000;
/** A connection on which nothing useful came for so long is taken for dead: a cable pulled says no goodbye. */
const SILENT_MS = 30_000;

/** What a link tells of itself. */
export interface LinkEvents {
  /** A new connection, or a new datagram: lines begin anew. @returns takes its bytes; true where they were of use */
  open(): { bytes(chunk: Uint8Array): boolean; end(): boolean };
  /** It ended, or could not be made; it is tried again by itself. */
  away(why: string): void;
}

/** A way to a receiver that is kept up until it is closed. */
export interface Link {
  close(): void;
}

export interface TcpLinkOptions {
  readonly host: string;
  readonly port: number;
  /** Sent once it stands. */
  readonly greeting?: string;
  /** For tests: shortens all waits. */
  readonly hurry?: number;
}

/** Connects, reads, and connects anew after waits that grow; a connection that gives nothing useful is dropped. */
export function tcpLink({ host, port, greeting, hurry = 1 }: TcpLinkOptions, events: LinkEvents): Link {
  let waitMs = FIRST_WAIT_MS;
  let closed = false;
  let socket: net.Socket | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = (): void => {
    const connection = events.open();
    let why = 'it ended';
    let useful = performance.now();
    const made = net.connect({ host, port });
    socket = made;
    made.setNoDelay(true);
    const connecting = setTimeout(() => made.destroy(new Error('no answer')), CONNECT_MS / hurry).unref();
    const watch = setInterval(
      () => {
        if (performance.now() - useful > SILENT_MS / hurry) made.destroy(new Error('silent'));
      },
      SILENT_MS / hurry / 6,
    ).unref();
    made.once('connect', () => {
      clearTimeout(connecting);
      if (greeting !== undefined) made.write(greeting);
    });
    made.on('data', (chunk) => {
      if (!connection.bytes(chunk)) return;
      useful = performance.now();
      waitMs = FIRST_WAIT_MS;
    });
    made.once('error', (error) => (why = error.message));
    made.once('close', () => {
      clearTimeout(connecting);
      clearInterval(watch);
      if (closed) return;
      connection.end();
      events.away(why);
      // With some jitter: several boxes that watch one receiver should not come back in step.
      timer = setTimeout(connect, (waitMs * (0.8 + 0.4 * Math.random())) / hurry).unref();
      waitMs = Math.min(LAST_WAIT_MS, waitMs * 2);
    });
  };
  connect();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      socket?.destroy();
    },
  };
}

/** Listens for datagrams at an address of this machine; a multicast group is joined. */
export function udpLink({ host, port, hurry = 1 }: TcpLinkOptions, events: LinkEvents): Link {
  const first = Number(host.split('.')[0]);
  const group = net.isIPv4(host) && first >= 224 && first <= 239 ? host : undefined;
  let waitMs = FIRST_WAIT_MS;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let end: () => void = () => undefined;

  const listen = (): void => {
    const socket = createSocket({ type: net.isIPv6(host) ? 'udp6' : 'udp4', reuseAddr: true });
    let over = false;
    end = () => {
      if (over) return;
      over = true;
      socket.close();
    };
    socket.on('message', (datagram) => {
      const connection = events.open();
      const [some, rest] = [connection.bytes(datagram), connection.end()];
      if (some || rest) waitMs = FIRST_WAIT_MS;
    });
    socket.on('error', (error) => {
      end();
      if (closed) return;
      events.away(error.message);
      timer = setTimeout(listen, waitMs / hurry).unref();
      waitMs = Math.min(LAST_WAIT_MS, waitMs * 2);
    });
    socket.bind({ port, address: group === undefined ? host : '0.0.0.0', exclusive: false }, () => {
      if (group !== undefined) socket.addMembership(group);
    });
  };
  listen();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      end();
    },
  };
}
