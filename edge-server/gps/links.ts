import { Backoff } from '../../src/base/backoff';
import { createSocket } from 'node:dgram';
import net from 'node:net';

/** First wait before a new attempt, ms; it doubles up to the maximum. */
const RECONNECT_DELAYS = { firstMs: 1_000, maxMs: 30_000 };
const CONNECT_TIMEOUT_MS = 10_000;
/** Silence after which a connection counts as dead: a pulled cable sends no close. */
const SILENCE_MAX_MS = 30_000;

export interface LinkEvents {
  /**
   * Called per connection or datagram: lines start over.
   * @returns handlers of its bytes; true if useful
   */
  onOpen(): { onBytes(chunk: Uint8Array): boolean; onEnd(): boolean };
  /** Called when a connection closes or fails; it is retried automatically. */
  onUnavailable(why: string): void;
}

export interface ReceiverLink {
  close(): void;
}

interface LinkOptions {
  readonly host: string;
  readonly port: number;
  readonly greeting?: string;
  /** For tests: divides all waits. */
  readonly hurry?: number;
}

/** Reconnects with backoff; drops a connection without useful data. */
export function openTcpLink({ host, port, greeting, hurry = 1 }: LinkOptions, events: LinkEvents): ReceiverLink {
  // Several boxes on one receiver must not reconnect in step.
  const backoff = new Backoff(RECONNECT_DELAYS, Math.random);
  let closed = false;
  let socket: net.Socket | undefined;
  let timer: NodeJS.Timeout | undefined;

  const connect = (): void => {
    const connection = events.onOpen();
    let reason = 'it ended';
    let lastUsefulAt = performance.now();
    const client = net.connect({ host, port });
    socket = client;
    client.setNoDelay(true);
    const connectTimer = setTimeout(() => client.destroy(new Error('no answer')), CONNECT_TIMEOUT_MS / hurry).unref();
    const silenceTimer = setInterval(
      () => {
        if (performance.now() - lastUsefulAt > SILENCE_MAX_MS / hurry) client.destroy(new Error('silent'));
      },
      SILENCE_MAX_MS / hurry / 6,
    ).unref();
    client.once('connect', () => {
      clearTimeout(connectTimer);
      if (greeting !== undefined) client.write(greeting);
    });
    client.on('data', (chunk) => {
      if (!connection.onBytes(chunk)) return;
      lastUsefulAt = performance.now();
      backoff.reset();
    });
    client.once('error', (error) => (reason = error.message));
    client.once('close', () => {
      clearTimeout(connectTimer);
      clearInterval(silenceTimer);
      if (closed) return;
      connection.onEnd();
      events.onUnavailable(reason);
      timer = setTimeout(connect, backoff.next() / hurry).unref();
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

/** Listens for datagrams at a local address; joins a multicast group. */
export function openUdpLink({ host, port, hurry = 1 }: LinkOptions, events: LinkEvents): ReceiverLink {
  const first = Number(host.split('.')[0]);
  const group = net.isIPv4(host) && first >= 224 && first <= 239 ? host : undefined;
  const backoff = new Backoff(RECONNECT_DELAYS);
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let closeSocket: () => void = () => undefined;

  const listen = (): void => {
    const socket = createSocket({ type: net.isIPv6(host) ? 'udp6' : 'udp4', reuseAddr: true });
    let isClosed = false;
    closeSocket = () => {
      if (isClosed) return;
      isClosed = true;
      socket.close();
    };
    socket.on('message', (datagram) => {
      const connection = events.onOpen();
      const [some, rest] = [connection.onBytes(datagram), connection.onEnd()];
      if (some || rest) backoff.reset();
    });
    socket.on('error', (error) => {
      closeSocket();
      if (closed) return;
      events.onUnavailable(error.message);
      timer = setTimeout(listen, backoff.next() / hurry).unref();
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
      closeSocket();
    },
  };
}
