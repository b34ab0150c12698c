import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback } from '../process/environment';

/** Limits of a server's connections; times in ms. Ours: the specification has none. */
export interface ConnectionLimits {
  /** Open connections of one address: a crew of twelve tablets behind one access point needs about a hundred. */
  readonly perAddress: number;
  /** Time for a TLS handshake, and for the head of a request. */
  readonly headMs: number;
  /** Time for the whole body of a caller without credentials, and for the rest of one that was answered early. */
  readonly strangerBodyMs: number;
  /** Least progress of any other body: so many bytes in so long. The slowest satellite link carries ten times as much. */
  readonly slowBytes: number;
  readonly slowMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  perAddress: 256,
  headMs: 15_000,
  strangerBodyMs: 30_000,
  slowBytes: 4096,
  slowMs: 120_000,
};

/** Largest body on a route that is open to anyone; each of them takes a few hundred bytes. */
export const STRANGER_BODY_MAX = 64 * 1024;

/** Interval between checks, as a part of the shortest limit. */
const CHECKS = 6;

/** Options of Node's server for half-open connections, TLS handshakes and slow heads. */
export function headLimits({ headMs }: ConnectionLimits): {
  readonly headersTimeout: number;
  readonly connectionsCheckingInterval: number;
} {
  return { headersTimeout: headMs, connectionsCheckingInterval: Math.ceil(headMs / CHECKS) };
}

/**
 * Destroys connections beyond the limit of their address, as they come.
 *
 * @param proxied true if a proxy on this machine passes on everyone's requests: loopback then counts no one
 */
export function limitConnections(server: Server, limits: ConnectionLimits, proxied: boolean): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress?.replace(/^::ffff:/, '');
    // Without an address the other end is gone already.
    if (address === undefined || (proxied && isLoopback(address))) return;
    const count = (open.get(address) ?? 0) + 1;
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
    if (count > limits.perAddress) socket.destroy();
  });
}

interface OpenBody {
  /** Time by which all of it must be here; Infinity: it only has to make progress. */
  deadline: number;
  windowStart: number;
  /** Bytes of the connection at the start of the window. */
  bytesBefore: number;
}

/** Destroys the connections of requests whose bodies come too slowly, or not at all. */
export class SlowBodies {
  readonly #limits: ConnectionLimits;
  readonly #open = new Map<IncomingMessage, OpenBody>();

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    // Once all others listen: the socket's engine passes its own requests to no listener before it.
    server.once('listening', () => server.prependListener('request', (...both) => this.#track(...both)));
    const timer = setInterval(
      () => this.#check(performance.now()),
      Math.ceil(Math.min(limits.strangerBodyMs, limits.slowMs) / CHECKS),
    ).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** Sets the short limit: for a caller without credentials, or the rest of a request that was answered. */
  hurry(request: IncomingMessage): void {
    const body = this.#open.get(request);
    if (body === undefined) return;
    if (request.complete) this.#open.delete(request);
    else body.deadline = Math.min(body.deadline, performance.now() + this.#limits.strangerBodyMs);
  }

  #track(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) return;
    this.#open.set(request, this.#window(request));
    request.once('close', () => this.#open.delete(request));
    response.once('finish', () => this.hurry(request));
  }

  #window({ socket }: IncomingMessage): OpenBody {
    return { deadline: Infinity, windowStart: performance.now(), bytesBefore: socket.bytesRead };
  }

  #check(now: number): void {
    const { slowBytes, slowMs } = this.#limits;
    for (const [request, body] of this.#open) {
      const { socket } = request;
      if (request.complete) {
        this.#open.delete(request);
      } else if (now >= body.deadline) {
        socket.destroy();
      } else if (now - body.windowStart >= slowMs) {
        // A full buffer is this server's own slowness.
        const isWaiting = request.readableLength > 0;
        if (!isWaiting && socket.bytesRead - body.bytesBefore < slowBytes) socket.destroy();
        else this.#open.set(request, { ...this.#window(request), deadline: body.deadline });
      }
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
