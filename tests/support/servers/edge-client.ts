/** Small socket client for tests of single messages: sends exactly what the test says. */
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { canonicalJson } from '../../../src/domain/canonical';
import { type ImageId, makeId, type PersonId, type Sha256, type SurveyId } from '../../../src/domain/ids';
import { newImage } from '../../../src/domain/image/image';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { newSurvey } from '../../../src/domain/survey/survey';
import { deviceAnswerText } from '../../../src/protocol/device-answer';
import { EDGE_SOCKET_PATH } from '../../../src/protocol/edge-socket';
import { deviceKeyFor, type TestDeviceKey } from './device-keys';

export type Reply = {
  ok: boolean;
  error?: { code: string; message: string; retryable: boolean; [detail: string]: unknown };
  [member: string]: unknown;
};

/** Random id of the census. */
export function newId(): string {
  return makeId((n) => randomBytes(n));
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** First bytes of a JPEG with noise behind: a truncated photograph, which is accepted. */
export function photograph(bytes: number): Buffer {
  const content = randomBytes(bytes);
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00, 0x01]).copy(content);
  return content;
}

let count = 0;

/** Operation with the right hash. */
export function makeOp(kind: OpKind, body: JsonObject, more: Partial<Op> = {}, deviceId = newId()): Op {
  const docId = String(kind === 'profile' ? body['uid'] : body['id']);
  return {
    v: 1,
    opId: `${deviceId}-${++count}`,
    kind,
    docId,
    madeAt: new Date().toISOString(),
    schema: 1,
    body,
    sha256: sha256(canonicalJson(body)),
    ...more,
  } as Op;
}

export function surveyOp(uid = newId(), more: Partial<Op> = {}): Op {
  const body = newSurvey({
    id: newId() as SurveyId,
    uid: uid as PersonId,
    name: 'Agincourt Reef',
    date: '2026-11-20',
    type: 'scuba',
    location: {
      id: 'agincourt',
      regionId: 'gbr',
      name: 'Agincourt Reef',
      position: { latitude: -16, longitude: 145.8 },
    },
    site: { type: 'slope' },
    madeAt: '2026-11-20T00:00:01.000Z',
  });
  return makeOp('survey', body, { by: uid as Op['by'] & string, ...more });
}

export function imageOp(surveyId: string, content: Uint8Array, id = newId()): Op {
  const body = newImage({
    id: id as ImageId,
    survey: { id: surveyId as SurveyId, name: 'Agincourt Reef', regionId: 'gbr' },
    uid: newId() as PersonId,
    sha256: sha256(content) as Sha256,
    bytes: content.length,
    type: 'image/jpeg',
    path: '1.jpg',
    madeAt: '2026-11-20T00:00:01.000Z',
    preview: { state: 'none', reason: 'failed' },
  });
  return makeOp('image', body);
}

/** One socket. */
export class EdgeClient {
  readonly deviceId: string;
  session = '';
  /** Key that `verify` proves; by default the one of the device. Null: a tablet of version 1. */
  key: TestDeviceKey | null;

  constructor(
    readonly socket: Socket,
    deviceId?: string,
  ) {
    this.deviceId = deviceId ?? newId();
    this.key = deviceKeyFor(this.deviceId);
  }

  /** Connects; rejects with the error of the server's middleware. */
  static async connect(
    url: string,
    options: Partial<ManagerOptions & SocketOptions> = {},
    deviceId?: string,
  ): Promise<EdgeClient> {
    const socket = io(url, {
      path: EDGE_SOCKET_PATH,
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      ...options,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', (error) => {
        socket.disconnect();
        reject(error);
      });
    });
    return new EdgeClient(socket, deviceId);
  }

  send(event: string, ...args: unknown[]): Promise<Reply> {
    return this.socket.timeout(20_000).emitWithAck(event, ...args) as Promise<Reply>;
  }

  async verify(more: Record<string, unknown> = {}): Promise<Reply> {
    const message = {
      protocol: { min: 1, max: 1 },
      app: { version: '1.0.0' },
      device: { id: this.deviceId, name: 'Test tablet' },
      ...(this.key === null ? {} : { key: this.key.x }),
      ...more,
    };
    let reply = await this.send('verify', message);
    const challenge = reply.error?.['challenge'];
    if (this.key !== null && !('key' in more) && typeof challenge === 'string')
      reply = await this.send('verify', { ...message, answer: await this.answerTo(challenge) });
    if (reply.ok) this.session = String(reply['session']);
    return reply;
  }

  /** Answer of this client's key to a challenge of the box. */
  async answerTo(challenge: string): Promise<string> {
    if (this.key === null) throw new Error('this client has no key');
    return this.key.sign(deviceAnswerText({ node: await this.#node(), challenge, key: this.key.x }));
  }

  async #node(): Promise<string> {
    const url = new URL('/edge/trace', (this.socket.io as unknown as { readonly uri: string }).uri);
    const get = url.protocol === 'https:' ? https.get : http.get;
    const text = await new Promise<string>((resolve, reject) => {
      get(url, { agent: false, rejectUnauthorized: false }, (response) => {
        let body = '';
        response.on('data', (part: Buffer) => (body += part.toString()));
        response.on('end', () => resolve(body));
      }).on('error', reject);
    });
    return /^node=(.+)$/m.exec(text)?.[1] ?? '';
  }

  /** Asks for the offset at which an image's bytes continue. */
  announce(op: Op, content: Uint8Array): Promise<Reply> {
    const { id: surveyId } = op.body['survey'] as { id: string };
    return this.send('image:path', {
      surveyId,
      imageId: op.docId,
      path: 'DCIM/1.jpg',
      bytes: content.length,
      sha256: sha256(content),
      type: 'image/jpeg',
    });
  }

  /** Sends the missing bytes of an image; returns the first failed answer, else the last. */
  async upload(op: Op, content: Uint8Array, chunkBytes = 256 * 1024): Promise<Reply> {
    const start = await this.announce(op, content);
    let reply = start;
    for (let offset = Number(start['offset']); reply.ok && offset < content.length; offset += chunkBytes) {
      reply = await this.send(
        'image:binary',
        { uploadId: start['uploadId'], offset },
        content.subarray(offset, offset + chunkBytes),
      );
    }
    return reply;
  }

  /** Sends a photograph in one go, up to its record. */
  async photograph(surveyId: string, content: Uint8Array, chunkBytes = 256 * 1024): Promise<Reply> {
    const op = imageOp(surveyId, content);
    const uploaded = await this.upload(op, content, chunkBytes);
    return uploaded.ok ? this.send('image:record', { op }) : uploaded;
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Verified client. */
export async function pairedClient(edge: { url: string; code: string }, deviceId?: string): Promise<EdgeClient> {
  const client = await EdgeClient.connect(edge.url, {}, deviceId);
  const reply = await client.verify(edge.code === '' ? {} : { code: edge.code });
  if (!reply.ok) throw new Error(`not paired: ${JSON.stringify(reply.error)}`);
  return client;
}
