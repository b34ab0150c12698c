import { createSocket } from 'node:dgram';
import net from 'node:net';

/** First wait before a new attempt (ms), doubled at each up to the last. */
const WAIT_MIN_MS = 1_000;
const WAIT_MAX_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A connection on which nothing useful came for so long is taken for dead: a cable pulled says no goodbye. */
const SILENCE_MAX_MS = 30_000;

/** What a link tells of itself. */
export interface LinkEvents {
  /** A new connection, or a new datagram: lines begin anew. @returns takes its bytes; true where they were of use */
  onOpen(): { onBytes(chunk: Uint8Array): boolean; onEnd(): boolean };
  /** It ended, or could not be made; it is tried again by itself. */
  onUnavailable(why: string): void;
}

/** A way to a receiver that is kept up until it is closed. */
export interface ReceiverLink {
  close(): void;
}

export interface LinkOptions {
  readonly host: string;
  readonly port: number;
  /** Sent once it stands. */
  readonly greeting?: string;
  /** For tests: shortens all waits. */
  readonly hurry?: number;
}

/** Connects, reads, and connects anew after waits that grow; a connection that gives nothing useful is dropped. */
export function openTcpLink({ host, port, greeting, hurry = 1 }: LinkOptions, events: LinkEvents): ReceiverLink {
  let waitMs = WAIT_MIN_MS;
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
      waitMs = WAIT_MIN_MS;
    });
    client.once('error', (error) => (reason = error.message));
    client.once('close', () => {
      clearTimeout(connectTimer);
      clearInterval(silenceTimer);
      if (closed) return;
      connection.onEnd();
      events.onUnavailable(reason);
      // With some jitter: several boxes that watch one receiver should not come back in step.
      timer = setTimeout(connect, (waitMs * (0.8 + 0.4 * Math.random())) / hurry).unref();
      waitMs = Math.min(WAIT_MAX_MS, waitMs * 2);
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
export function openUdpLink({ host, port, hurry = 1 }: LinkOptions, events: LinkEvents): ReceiverLink {
  const first = Number(host.split('.')[0]);
  const group = net.isIPv4(host) && first >= 224 && first <= 239 ? host : undefined;
  let waitMs = WAIT_MIN_MS;
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
      if (some || rest) waitMs = WAIT_MIN_MS;
    });
    socket.on('error', (error) => {
      closeSocket();
      if (closed) return;
      events.onUnavailable(error.message);
      timer = setTimeout(listen, waitMs / hurry).unref();
      waitMs = Math.min(WAIT_MAX_MS, waitMs * 2);
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
