import type { Server as HttpServer } from 'node:http';
import type { Socket } from 'socket.io';
import { Server } from 'socket.io';
import { ReefError } from '../../src/domain/errors';
import { LIMITS } from '../../src/domain/limits';
import type { EdgeUpdate } from '../../src/protocol/edge-socket';
import { EDGE_SOCKET_PATH } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import type { Connection } from './connection';
import { scopeOf } from './connection';
import { answer } from './dispatcher';
import { refuseOtherRequests } from './handshake';

/** Twice a chunk gets an answer that says what is wrong; beyond, the connection ends before it fills the memory. */
const BUFFER_BYTES = 2 * LIMITS.chunkBytesMax + 64 * 1024;

/** The socket of the edge (protocol, "Edge socket"). */
export function serveSocket(http: HttpServer, context: EdgeContext): Server {
  const io = new Server(http, {
    path: EDGE_SOCKET_PATH,
    // With and without a slash at the end.
    addTrailingSlash: false,
    maxHttpBufferSize: BUFFER_BYTES,
    serveClient: false,
    // Photographs do not compress, and a small box has better things to do.
    perMessageDeflate: false,
    httpCompression: false,
    pingInterval: 20_000,
    pingTimeout: 20_000,
    cors: { origin: (origin, done) => done(null, context.origins.allows(origin)) },
  });
  refuseOtherRequests(io.engine);
  io.use((socket, next) => {
    if (context.origins.allows(socket.handshake.headers.origin)) return next();
    const error = new ReefError('forbidden', { message: 'This page does not belong to the box.', field: 'Origin' });
    return next(Object.assign(new Error(error.message), { data: error.toWire() }));
  });
  io.on('connection', (socket) => attend(socket, context));
  return io;
}

function attend(socket: Socket, context: EdgeContext): void {
  const connection: Connection = {
    address: socket.handshake.address,
    session: null,
    reader: () => scopeOf(context.sessions.current(connection.session)),
    update: (update: EdgeUpdate) => socket.emit('update', update),
  };
  context.metrics.sockets.inc();
  const leave = (): void => {
    context.subscriptions.remove(connection);
    context.senders.disconnect(connection);
  };
  socket.onAny((event: string, ...rest: unknown[]) => {
    const last = rest.at(-1);
    const acknowledge = typeof last === 'function' ? (last as (reply: unknown) => void) : undefined;
    const args = acknowledge === undefined ? rest : rest.slice(0, -1);
    void answer(context, connection, event, args).then((reply) => {
      // It went away while it was being answered, and may only now have begun to follow.
      if (!socket.connected) leave();
      context.probe('emit.before');
      acknowledge?.(reply);
      context.probe('emit.after');
    });
  });
  socket.on('disconnect', () => {
    context.metrics.sockets.dec();
    leave();
  });
  socket.on('error', (error) => context.log.info({ err: error }, 'a socket sent what cannot be read'));
}
