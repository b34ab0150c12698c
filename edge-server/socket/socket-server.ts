import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'socket.io';
import { Server } from 'socket.io';
import { ReefError } from '../../src/domain/errors';
import { LIMITS } from '../../src/domain/limits';
import type { EdgeUpdate } from '../../src/protocol/edge-socket';
import { EDGE_SOCKET_PATH } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import type { Connection } from './connection';
import { presentSession, scopeOf } from './connection';
import { answerEvent } from './dispatcher';
import { refuseNonHandshakes } from './handshake';
import type { UnverifiedLimits } from './unverified';
import { UNVERIFIED_LIMITS, UnverifiedConnections } from './unverified';

/** Up to twice a chunk gets a readable error; beyond, the connection ends before memory fills. */
const MESSAGE_BYTES_MAX = 2 * LIMITS.chunkBytesMax + 64 * 1024;

/** Socket of the edge (protocol, "Edge socket"). */
export function serveSocket(http: HttpServer, context: EdgeContext, overrides: Partial<UnverifiedLimits> = {}): Server {
  const limits = { ...UNVERIFIED_LIMITS, ...overrides };
  const io = new Server(http, {
    path: EDGE_SOCKET_PATH,
    // With and without a trailing slash.
    addTrailingSlash: false,
    maxHttpBufferSize: MESSAGE_BYTES_MAX,
    serveClient: false,
    // Photographs do not compress.
    perMessageDeflate: false,
    httpCompression: false,
    pingInterval: 20_000,
    pingTimeout: 20_000,
    connectTimeout: limits.verifyMs,
    cors: { origin: (origin, done) => done(null, context.origins.allows(origin)) },
  });
  refuseNonHandshakes(io.engine);
  const unverified = new UnverifiedConnections(io.engine, MESSAGE_BYTES_MAX, limits);
  io.use((socket, next) => {
    if (context.origins.allows(socket.handshake.headers.origin)) return next();
    const error = new ReefError('forbidden', { message: 'This page does not belong to the box.', field: 'Origin' });
    return next(Object.assign(new Error(error.message), { data: error.toWire() }));
  });
  io.on('connection', (socket) => handleConnection(socket, context, unverified));
  return io;
}

function handleConnection(socket: Socket, context: EdgeContext, unverified: UnverifiedConnections): void {
  const connection: Connection = {
    address: socket.handshake.address,
    session: null,
    reader: () => scopeOf(presentSession(context.sessions, connection)),
    update: (update: EdgeUpdate) => socket.emit('update', update),
  };
  context.metrics.sockets.inc();
  // The tablet connects again, learns why, and continues to deliver.
  const stopEnds = context.sessions.onEnd((hash) => {
    if (connection.session?.hash === hash) socket.disconnect(true);
  });
  const cleanUp = (): void => {
    context.subscriptions.remove(connection);
    context.senders.disconnect(connection);
  };
  socket.onAny((event: string, ...rest: unknown[]) => {
    const last = rest.at(-1);
    const acknowledge = typeof last === 'function' ? (last as (reply: unknown) => void) : undefined;
    const args = acknowledge === undefined ? rest : rest.slice(0, -1);
    const verified = event === 'verify' ? unverified.verifying(socket.conn) : undefined;
    void answerEvent(context, connection, event, args).then((reply) => {
      verified?.(reply.ok);
      // A subscription may have been added after the disconnect.
      if (!socket.connected) cleanUp();
      context.probe('emit.before');
      acknowledge?.(reply);
      context.probe('emit.after');
    });
  });
  socket.on('disconnect', () => {
    context.metrics.sockets.dec();
    stopEnds();
    cleanUp();
  });
  socket.on('error', (error) => context.log.info({ err: error }, 'a socket sent an unreadable message'));
}
