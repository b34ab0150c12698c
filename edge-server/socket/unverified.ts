import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Server, Socket } from 'socket.io';

type Engine = Server['engine'];
type EngineConnection = Socket['conn'];

/** Limits of a connection until the box knows its tablet; time in ms. Ours: the protocol names them. */
export interface UnverifiedLimits {
  /** Bytes that it may carry in all; over long polling, in each message. */
  readonly bytes: number;
  readonly verifyMs: number;
  /** Unverified connections of one address: a whole crew comes back at once after a restart. */
  readonly perAddress: number;
}

export const UNVERIFIED_LIMITS: UnverifiedLimits = { bytes: 64 * 1024, verifyMs: 10_000, perAddress: 64 };

/** Time for the closing message before the connection is destroyed, ms. */
const CLOSE_MS = 1000;

interface Unverified {
  readonly connection: EngineConnection;
  readonly address: string;
  readonly deadline: NodeJS.Timeout;
  /** Number of `verify` messages under way: the box's slowness is not the tablet's. */
  verifying: number;
  isLate: boolean;
}

/** Connections that are not verified: each ends at its limit, and its TCP connection is destroyed. */
export class UnverifiedConnections {
  readonly #limits: UnverifiedLimits;
  readonly #messageBytes: number;
  readonly #byId = new Map<string, Unverified>();
  readonly #countByAddress = new Map<string, number>();
  /** Engine id by upgrade request, once it is known. */
  readonly #idOf = new WeakMap<IncomingMessage, string>();
  readonly #tcpById = new Map<string, Set<NetSocket>>();

  /** @param messageBytes limit of a message once verified */
  constructor(engine: Engine, messageBytes: number, limits: Partial<UnverifiedLimits> = {}) {
    this.#limits = { ...UNVERIFIED_LIMITS, ...limits };
    this.#messageBytes = messageBytes;
    engine.on('headers', (_headers: unknown, request: IncomingMessage) => {
      if (request.headers.upgrade !== undefined) this.#countBytes(request);
    });
    engine.on('connection', (connection: EngineConnection) => this.#add(connection));
  }

  /** Reports a `verify` under way; the returned function reports its end. */
  verifying(connection: EngineConnection): (isVerified: boolean) => void {
    const entry = this.#byId.get(idOf(connection));
    if (entry === undefined) return () => undefined;
    entry.verifying++;
    return (isVerified) => {
      entry.verifying--;
      if (isVerified) this.#admit(entry);
      else if (entry.isLate && entry.verifying === 0) this.#end(entry);
    };
  }

  #add(connection: EngineConnection): void {
    const id = idOf(connection);
    const { request } = connection;
    const address = request.socket.remoteAddress ?? '';
    this.#idOf.set(request, id);
    if (request.headers.upgrade !== undefined) this.#attachTcp(id, request.socket);
    setMessageLimit(connection, this.#limits.bytes);
    const entry: Unverified = {
      connection,
      address,
      verifying: 0,
      isLate: false,
      deadline: setTimeout(() => {
        entry.isLate = true;
        if (entry.verifying === 0) this.#end(entry);
      }, this.#limits.verifyMs).unref(),
    };
    this.#byId.set(id, entry);
    this.#countByAddress.set(address, (this.#countByAddress.get(address) ?? 0) + 1);
    onSecondSocket(connection, () => {
      // Drops the rest of the message; a forced close would not.
      connection.close();
      this.#destroyTcp(id);
    });
    connection.once('close', () => {
      this.#remove(entry);
      this.#destroyTcp(id);
    });
    if ((this.#countByAddress.get(address) ?? 0) > this.#limits.perAddress) this.#end(entry);
  }

  #admit(entry: Unverified): void {
    this.#remove(entry);
    setMessageLimit(entry.connection, this.#messageBytes);
  }

  #remove(entry: Unverified): void {
    if (!this.#byId.delete(idOf(entry.connection))) return;
    clearTimeout(entry.deadline);
    const left = (this.#countByAddress.get(entry.address) ?? 1) - 1;
    if (left === 0) this.#countByAddress.delete(entry.address);
    else this.#countByAddress.set(entry.address, left);
  }

  #end({ connection }: Unverified): void {
    connection.close(true);
    this.#destroyTcp(idOf(connection));
  }

  /** Destroys what is still open when the other end had time for the closing message: it may never answer it. */
  #destroyTcp(id: string): void {
    const sockets = this.#tcpById.get(id);
    this.#tcpById.delete(id);
    if (sockets !== undefined)
      setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSE_MS).unref();
  }

  #attachTcp(id: string, socket: NetSocket): void {
    const known = this.#tcpById.get(id) ?? new Set();
    this.#tcpById.set(id, known.add(socket));
    socket.once('close', () => known.delete(socket));
  }

  /** Counts what an upgraded connection carries: the first byte beyond the limit destroys it. */
  #countBytes(request: IncomingMessage): void {
    const { socket } = request;
    const upgradedId = upgradedIdOf(request);
    if (upgradedId !== undefined) {
      this.#idOf.set(request, upgradedId);
      this.#attachTcp(upgradedId, socket);
    }
    let bytes = 0;
    const count = (part: Buffer): void => {
      // Without an id its start is not complete.
      const id = this.#idOf.get(request);
      if (id !== undefined && !this.#byId.has(id)) {
        socket.off('data', count);
        return;
      }
      bytes += part.length;
      if (bytes > this.#limits.bytes) socket.destroy();
    };
    // No listener of its own starts the flow: the engine listens in this turn.
    socket.prependListener('data', count);
  }
}

/** Type of socket.io's packet that opens a socket. */
const CONNECT = '0';

/**
 * Calls `end` when a connection asks for a second socket: socket.io opens one for each request of a message, and 64 KiB
 * of them took 75 MB and a second.
 */
function onSecondSocket(connection: EngineConnection, end: () => void): void {
  let asked = 0;
  connection.on('data', (packet: unknown) => {
    if (typeof packet !== 'string' || !packet.startsWith(CONNECT)) return;
    asked++;
    if (asked === 2) end();
  });
}

/** Returns the connection that an upgrade continues, as the engine reads it: an address may name several. */
function upgradedIdOf(request: IncomingMessage): string | undefined {
  const { sid } = (request as unknown as { readonly _query: { readonly sid?: string } })._query;
  return sid === '' ? undefined : sid;
}

function idOf(connection: EngineConnection): string {
  return (connection as unknown as { readonly id: string }).id;
}

/** Sets the largest message of a long-polling connection; the limit of the others is fixed, and their bytes are counted. */
function setMessageLimit({ transport }: EngineConnection, bytes: number): void {
  if (transport.name === 'polling') (transport as unknown as { maxHttpBufferSize: number }).maxHttpBufferSize = bytes;
}
