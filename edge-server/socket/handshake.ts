import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'socket.io';
import { ReefError } from '../../src/domain/errors';
import { EDGE_SOCKET_PATH } from '../../src/protocol/edge-socket';

type Engine = Server['engine'];

/**
 * Rejects other requests with an error of the catalogue instead of the engine's own. Upgrades are left to the engine.
 */
export function refuseNonHandshakes(engine: Engine): void {
  const open = new Set<string>();
  engine.on('connection', (connection: { id: string; once: (event: 'close', listener: () => void) => void }) => {
    open.add(connection.id);
    connection.once('close', () => open.delete(connection.id));
  });
  engine.use((request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => {
    const error = request.headers.upgrade === undefined ? handshakeError(request, open) : undefined;
    if (error === undefined) return next();
    request.resume();
    response
      .writeHead(error.status, { 'Content-Type': 'application/json; charset=utf-8' })
      .end(JSON.stringify({ ok: false, error: error.toWire() }));
  });
}

function handshakeError(request: IncomingMessage, open: ReadonlySet<string>): ReefError | undefined {
  const [address = '', search = ''] = (request.url ?? '').split('?');
  if (address !== EDGE_SOCKET_PATH && address !== `${EDGE_SOCKET_PATH}/`) return new ReefError('not-found');
  const query = new URLSearchParams(search);
  const badField = (field: string) =>
    new ReefError('bad-message', { field, message: `${field} is not what a socket sends.` });
  if (request.method === 'OPTIONS') return undefined;
  if (query.get('EIO') !== '4') return badField('EIO');
  if (query.get('transport') !== 'polling') return badField('transport');
  const sid = query.get('sid');
  if (sid === null) return request.method === 'GET' ? undefined : badField('method');
  if (request.method !== 'GET' && request.method !== 'POST') return badField('method');
  return open.has(sid)
    ? undefined
    : new ReefError('not-found', { field: 'sid', message: 'This connection has ended. Connect again.' });
}
