import { createHash, randomBytes } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { canonicalJson } from '../../../src/domain/canonical';
import { makeId, opIdOf, type Sha256 } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { Ack, EdgeReplies } from '../../../src/protocol/edge-socket';
import { EDGE_SOCKET_PATH } from '../../../src/protocol/edge-socket';
import { startEdge } from '../../support/servers/edge';
import { benchFolder, removeFolder } from './child';
import { expectStatus, type IntakeServer, type Sender } from './intake';
import { LeanHttp } from './lean-http';
import { PHOTOGRAPH_BYTES, type Photograph } from './photographs';

/** Transport of the bytes; announcement and record use the socket either way. */
export type Transport = 'http' | 'socket';

/**
 * Starts the box as in production, on an empty folder.
 *
 * @param way transport of the bytes
 * @param supervised true to include its supervisor
 */
export async function startBox(way: Transport, { supervised = false } = {}): Promise<IntakeServer> {
  const folder = await benchFolder('edge');
  const edge = await startEdge({ home: folder, supervised, env: { EDGE_PAIRING: 'open' } });
  return {
    name: `edge over ${way}`,
    pid: edge.pid,
    folder,
    openSender: () => openEdgeSender(edge.url, way),
    async stop() {
      await edge.stop();
      await removeFolder(folder);
    },
  };
}

/** Verified tablet with its person and one survey already on the box. */
export async function openEdgeSender(origin: string, way: Transport): Promise<Sender> {
  const socket = io(origin, { path: EDGE_SOCKET_PATH, transports: ['websocket'], forceNew: true, reconnection: false });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('connect_error', reject));
  const ids = { device: newId(), person: newId(), survey: newId() };
  const { session } = await ask<'verify'>(socket, 'verify', {
    protocol: { min: 1, max: 1 },
    app: { version: 'bench' },
    device: { id: ids.device, name: 'bench' },
  });
  let n = 0;
  const op = (kind: OpKind, body: JsonObject): Op => makeOp(opIdOf(ids.device, ++n), kind, body, ids.person);
  await ask<'profile'>(socket, 'profile', {
    op: op('profile', { uid: ids.person, name: { first: 'Bench', last: 'Bench' }, email: `${ids.person}@example.org` }),
  });
  await ask<'survey'>(socket, 'survey', {
    op: op('survey', { id: ids.survey, name: 'Bench', date: '2026-11-20', user: { uid: ids.person } }),
  });
  const carry = way === 'http' ? await overHttp(origin, session) : overSocket(socket);
  return {
    async send(photograph) {
      const { sha256, bytes } = photograph;
      const imageId = newId();
      const notice = { surveyId: ids.survey, imageId, path: `DCIM/${imageId}.JPG`, bytes, sha256, type: 'image/jpeg' };
      const { uploadId } = await ask<'image:path'>(socket, 'image:path', notice);
      await carry.bytes(uploadId, photograph);
      const body = {
        id: imageId,
        name: `${imageId}.JPG`,
        sha256,
        bytes,
        type: 'image/jpeg',
        survey: { id: ids.survey },
        user: { uid: ids.person },
      };
      const { receipt } = await ask<'image:record'>(socket, 'image:record', { op: op('image', body) });
      if (!receipt.accepted || receipt.blob?.sha256 !== sha256)
        throw new Error('the receipt is not for this photograph');
    },
    close() {
      carry.close();
      socket.disconnect();
    },
  };
}

interface Carrier {
  /** Sends all bytes of a photograph in one chunk. */
  bytes(uploadId: string, photograph: Photograph): Promise<void>;
  close(): void;
}

async function overHttp(origin: string, session: string): Promise<Carrier> {
  const http = await LeanHttp.open(origin);
  const headers = {
    Authorization: `Bearer ${session}`,
    'Content-Type': 'application/partial-upload',
    'Upload-Offset': '0',
  };
  return {
    async bytes(uploadId, { parts, bytes }) {
      const { status, headers: answered } = await http.request('PATCH', `/edge/uploads/${uploadId}`, headers, parts);
      expectStatus('PATCH', status, 200);
      if (answered.get('upload-offset') !== String(bytes)) throw new Error('the box did not take all bytes');
    },
    close: () => http.close(),
  };
}

function overSocket(socket: Socket): Carrier {
  // One buffer per sender: an acknowledged chunk has left it, so the next photograph may reuse it.
  const whole = Buffer.alloc(PHOTOGRAPH_BYTES);
  return {
    async bytes(uploadId, { parts: [head, tail], bytes }) {
      head.copy(whole);
      tail.copy(whole, head.length);
      const { offset } = await ask<'image:binary'>(socket, 'image:binary', { uploadId, offset: 0 }, whole);
      if (offset !== bytes) throw new Error('the box did not take all bytes');
    },
    close: () => undefined,
  };
}

async function ask<Event extends keyof EdgeReplies>(
  socket: Socket,
  event: Event,
  ...args: unknown[]
): Promise<EdgeReplies[Event]> {
  const ack = (await socket.emitWithAck(event, ...args)) as Ack<EdgeReplies[Event]>;
  if (!ack.ok) throw new Error(`${event}: ${ack.error.code} ${ack.error.message}`);
  return ack;
}

function makeOp(opId: Op['opId'], kind: OpKind, body: JsonObject, by: string): Op {
  const docId = String(kind === 'profile' ? body['uid'] : body['id']);
  const sha256 = createHash('sha256').update(canonicalJson(body)).digest('hex') as Sha256;
  return {
    v: 1,
    opId,
    kind,
    docId,
    by: by as NonNullable<Op['by']>,
    madeAt: '2026-11-20T09:30:00.000Z',
    schema: 1,
    body,
    sha256,
  };
}

function newId(): string {
  return makeId((count) => randomBytes(count));
}
