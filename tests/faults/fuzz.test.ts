import { mkdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/domain/errors';
import { sha256 } from '../independent/canonical';
import { IndependentClient } from '../independent/client';
import { EdgeClient } from '../support/servers/edge-client';
import { addVoyage, audit, tempFolder, wholeFeed } from '../support/servers/client';
import { byDepth } from '../support/depth';
import { runSeed, seeded } from '../support/seed';
import { startFaultEdge, type FaultEdge } from './edge-process';
import { idFrom, rehash, soundOp, spoil, wildValue, type Wild } from './fuzz-grammar';
import { tally } from '../support/tally';

const { MESSAGES, REQUESTS, RAW } = byDepth({
  commit: { MESSAGES: 2_000, REQUESTS: 1_200, RAW: 200 },
  release: { MESSAGES: 6_000, REQUESTS: 3_600, RAW: 400 },
});
const seed = runSeed();
const random = seeded(seed);
const folder = tempFolder('fuzz');
let edge: FaultEdge;

beforeAll(async () => {
  mkdirSync(path.join(folder.path, 'photos'));
  edge = await startFaultEdge(path.join(folder.path, 'home'));
});
afterAll(async () => {
  await edge.stop();
  folder.remove();
});

/** Failures, one example of each kind, and counts of the answers. */
const faults = new Map<string, string>();
const answers = new Map<string, number>();
const receipted = new Set<string>();
const blame = (what: string, example: unknown): void => {
  if (!faults.has(what)) faults.set(what, (JSON.stringify(example) ?? String(example)).slice(0, 600));
};
const count = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1);

/** Checks the form of an answer and records the receipt if it was accepted after all. */
function judge(answer: unknown, context: unknown): void {
  const body = answer as {
    ok?: unknown;
    error?: { code?: string; message?: unknown; retryable?: unknown };
    receipt?: { opId: string };
  } | null;
  if (body?.ok === true) {
    count('ok');
    if (body.receipt !== undefined) receipted.add(body.receipt.opId);
    return;
  }
  const code = body?.error?.code;
  if (
    body?.ok !== false ||
    code === undefined ||
    !Object.hasOwn(ERRORS, code) ||
    typeof body.error?.message !== 'string' ||
    typeof body.error.retryable !== 'boolean'
  )
    return blame('an answer of no declared shape', { context, answer });
  count(code);
  if (code === 'internal') blame('internal', { context, answer });
}

const memory = (field: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${edge.pid}/status`, 'utf8'))?.[1]) / 1024;

describe('protocol: bad input returns its named error and changes nothing', () => {
  const links = { uid: idFrom(random), surveyId: idFrom(random), photo: { sha256: sha256('x'), bytes: 1 } };
  const verifyMessage = (): Wild => ({
    protocol: { min: 1, max: 1 },
    app: { version: '1' },
    device: { id: idFrom(random), name: 'fuzz' },
    code: edge.code,
  });
  let uploadId = '';

  /** Valid message for an event. */
  function sound(event: string): Wild[] {
    const op = (kind: string): Wild => ({ op: soundOp(random, kind, idFrom(random), links) });
    switch (event) {
      case 'verify':
        return [verifyMessage()];
      case 'profile':
      case 'survey':
      case 'analysis':
        return [op(event)];
      case 'image:path':
        return [
          {
            surveyId: links.surveyId,
            imageId: idFrom(random),
            path: 'a.jpg',
            bytes: 1 + random.below(10_000),
            sha256: sha256(String(random.below(1e9))),
            type: 'image/jpeg',
          },
        ];
      case 'image:binary':
        return [{ uploadId, offset: 0 }, random.bytes(1 + random.below(2_000))];
      case 'image:record':
        return [op('image')];
      case 'query':
        return [
          {
            name: random.pick(['meta', 'gps', 'surveys', 'locations', 'changes', 'track', 'senders']),
            params: {
              since: random.below(50),
              limit: 1 + random.below(3),
              from: '2026-11-20T00:00:00.000Z',
              to: '2026-11-21T00:00:00.000Z',
            },
            subscribe: false,
          },
        ];
      case 'owing':
        return [
          { records: random.below(9), photographs: random.below(9), bytes: random.below(1e9), survey: links.surveyId },
        ];
      default:
        return [{ name: random.pick(['meta', 'surveys']) }];
    }
  }

  const EVENTS = [
    'verify',
    'profile',
    'survey',
    'image:path',
    'image:binary',
    'image:record',
    'analysis',
    'query',
    'unsubscribe',
    'owing',
  ];

  /** Malformed message: spoilt members, hash, number of arguments, name, or packet text. */
  function spoilt(): { event: string; args: Wild[] } {
    const event = random.pick(EVENTS);
    let args = sound(event);
    const way = random.below(20);
    if (way === 0)
      return {
        event: random.pick([
          '',
          'admin',
          'disconnecting ',
          '__proto__',
          'constructor',
          'image:',
          'x'.repeat(5000),
          'toString',
        ]),
        args,
      };
    if (way === 1) return { event, args: [] };
    if (way === 2) return { event, args: [...args, ...args, wildValue(random)] };
    if (way === 3) return { event, args: args.reverse() };
    if (way === 4) return { event, args: [wildValue(random), ...args.slice(1)] };
    for (let n = 1 + random.below(3); n > 0; n -= 1)
      args = args.map((arg, i) => (i === 0 || random.fraction() < 0.3 ? spoil(arg, random) : arg));
    const [first] = args;
    if (random.fraction() < 0.5 && typeof first === 'object' && first !== null && 'op' in first)
      args = [{ ...first, op: rehash(first['op'] as Wild) }, ...args.slice(1)];
    return { event, args };
  }

  async function connect(verified: boolean): Promise<Socket> {
    const socket = io(edge.url, {
      path: '/edge/socket',
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('connect_error', reject);
      socket.io.engine.once('close', (why) => reject(new Error(`the box closed a new connection: ${why}`)));
    });
    if (verified) {
      const answer = await new EdgeClient(socket).verify({ code: edge.code });
      if (!answer.ok) throw new Error(`a right verify was refused: ${JSON.stringify(answer)}`);
    }
    return socket;
  }

  /** Sends malformed messages on one socket after the other; a socket that the box closes is replaced. */
  async function fuzzSockets(total: number): Promise<void> {
    let socket = await connect(true);
    for (let sent = 0; sent < total; sent += 1) {
      if (!socket.connected || random.below(100) === 0) {
        socket.disconnect();
        socket = await connect(random.below(4) > 0);
      }
      if (random.below(12) === 0) {
        const packet = random.pick([
          '42',
          '42[',
          '42["survey",',
          '4',
          '9',
          '42{}',
          '420["verify"]',
          '451-["image:binary",{"_placeholder":true,"num":99},1]',
          '45x',
          '49999999999999999999-[]',
          '42/other,["survey",{}]',
          '41',
          '42["survey",{"op":1}]'.repeat(50),
          `42${JSON.stringify(wildValue(random)) ?? ''}`,
        ]);
        (socket.io.engine as unknown as { transport: { ws: { send(data: string | Buffer): void } } }).transport.ws.send(
          random.below(3) === 0 ? random.bytes(random.below(500)) : packet,
        );
        count('raw packet');
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const { event, args } = spoilt();
      try {
        const answer = await new Promise<unknown>((resolve, reject) => {
          const late = setTimeout(() => reject(new Error('no answer')), 20_000);
          socket.once('disconnect', () => {
            clearTimeout(late);
            reject(new Error('disconnected'));
          });
          socket.emit(event, ...args, (given: unknown) => {
            clearTimeout(late);
            socket.off('disconnect');
            resolve(given);
          });
        });
        judge(answer, { event, args });
      } catch (error) {
        if (error instanceof Error && error.message === 'no answer') blame(`no answer to ${event.slice(0, 20)}`, args);
        else count('disconnected');
      }
    }
    socket.disconnect();
  }

  const ROUTES = [
    'GET /edge/trace',
    'GET /edge/keys',
    'GET /edge/trust',
    'POST /edge/sign-in',
    'POST /edge/profile',
    'POST /edge/disconnect',
    'GET /edge/meta',
    'GET /edge/gps',
    'GET /edge/surveys',
    'GET /edge/locations',
    'GET /edge/track',
    'GET /edge/senders',
    'GET /edge/reference/',
    'PUT /edge/reference/',
    'PATCH /edge/uploads/',
    'HEAD /edge/uploads/',
    'GET /cache/800/',
    'GET /tiles/',
    'GET /tiles/land/0/',
    'GET /edge/changes',
    'GET /edge/blobs/',
    'HEAD /edge/blobs/',
    'POST /edge/ops',
    'GET /edge/export',
    'GET /edge/console',
    'POST /edge/bridge',
    'GET /healthz',
    'GET /metrics',
    'DELETE /edge/ops',
    'OPTIONS /edge/ops',
    'PUT /edge/socket/',
    'GET /edge/socket/',
  ];

  /** Text for a path or header, as a hostile or broken client would write it. */
  const text = (): string => {
    const value = wildValue(random);
    const plain =
      typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value);
    return plain.slice(0, random.pick([10, 100, 4_000]));
  };
  const inHeader = (): string => text().replace(/[^\t\x20-\x7e\x80-\xff]/g, '?');

  function spoiltRequest(session: string): {
    method: string;
    place: string;
    headers: Record<string, string>;
    body?: Buffer;
  } {
    const [method, base] = random.pick(ROUTES).split(' ') as [string, string];
    const safe = (part: string): string => encodeURI(part.toWellFormed()).replace(/[#?]/g, '%23');
    let place = base.endsWith('/')
      ? base +
        random.pick([
          safe(text()),
          idFrom(random),
          sha256(text()),
          uploadId,
          `${safe(text())}/${safe(text())}`,
          '..%2f..%2fetc%2fpasswd',
          '%00',
          '%ff%fe',
          '',
        ])
      : base;
    if (random.below(3) === 0)
      place += `?${random.pick(['since', 'limit', 'from', 'to', 'nonce', 'x'])}=${random.pick(['-1', 'NaN', '1e99', '999999999999999999999', '%00', safe(text())])}`;
    const headers: Record<string, string> = {};
    const token = random.pick(['admin', 'session', 'none', 'wrong', 'odd']);
    if (token === 'admin') headers['authorization'] = `Bearer ${edge.adminToken}`;
    if (token === 'session') headers['authorization'] = `Bearer ${session}`;
    if (token === 'wrong' && random.below(20) === 0) headers['authorization'] = `Bearer ${idFrom(random, 43)}`;
    if (token === 'odd' && random.below(20) === 0)
      headers['authorization'] = random.pick(['Bearer', 'Bearer  ', 'Basic eDp5', inHeader()]);
    if (method === 'PATCH' || random.below(8) === 0)
      headers['upload-offset'] = random.pick(['0', '-1', '1.5', 'x', '99999999999999999999', '', inHeader()]);
    headers['content-type'] = random.pick([
      'application/json',
      'application/partial-upload',
      'text/html',
      'multipart/form-data',
      'application/json; charset=utf-16',
      inHeader() || 'x',
    ]);
    for (const [name, values] of Object.entries({
      range: ['bytes=0-', 'bytes=9-1', 'bytes=-0', 'bytes=x', 'items=1'],
      origin: ['null', 'https://evil.example', inHeader()],
      'content-encoding': ['gzip', 'br', 'x'],
      accept: ['text/html', inHeader()],
      'if-none-match': ['*', inHeader()],
    })) {
      if (random.below(12) === 0) headers[name] = random.pick(values);
    }
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { method, place, headers };
    const shapes: Record<string, Wild> = {
      '/edge/sign-in': {
        email: 'a@example.org',
        name: { first: 'A', last: 'B' },
        device: { id: idFrom(random), name: 'x' },
        code: edge.code,
      },
      '/edge/profile': { name: { first: 'A', last: 'B' } },
      '/edge/ops': { ops: [soundOp(random, 'survey', idFrom(random), links)], receipts: [{ v: 1 }] },
      '/edge/bridge': { action: 'pause' },
    };
    const body = shapes[base] ?? wildValue(random);
    const way = random.below(6);
    if (way === 0) return { method, place, headers, body: random.bytes(random.below(3_000)) };
    if (way === 1)
      return {
        method,
        place,
        headers,
        body: Buffer.from((JSON.stringify(spoil(body, random)) ?? '').slice(0, -1 - random.below(5))),
      };
    if (way === 2 && random.below(20) === 0) return { method, place, headers, body: Buffer.alloc(6_000_000, 'a') };
    return { method, place, headers, body: Buffer.from(JSON.stringify(spoil(spoil(body, random), random)) ?? '') };
  }

  /** Checks HTTP answers: declared statuses only, errors in the catalogue's form if the box made them. */
  function judgeHttp(
    status: number,
    method: string,
    headers: http.IncomingHttpHeaders,
    body: Buffer,
    context: unknown,
  ): void {
    count(`http ${status}`);
    if (status >= 500 && status !== 507)
      blame(`http ${status}`, { context, body: body.toString('utf8').slice(0, 200) });
    if (status < 400 || method === 'HEAD') {
      const given = /json/.test(headers['content-type'] ?? '')
        ? (JSON.parse(body.toString('utf8') || '{}') as { results?: { receipt?: { opId: string } }[] } | null)
        : null;
      for (const { receipt } of Array.isArray(given?.results) ? given.results : [])
        if (receipt !== undefined) receipted.add(receipt.opId);
      return;
    }
    try {
      const answer = JSON.parse(body.toString('utf8')) as { error?: { code?: string } };
      judge(answer, context);
      const code = answer.error?.code;
      if (code !== undefined && Object.hasOwn(ERRORS, code) && ERRORS[code as keyof typeof ERRORS].status !== status)
        blame(`http ${status} for ${code}`, context);
    } catch {
      blame(`http ${status} without a catalogue error`, { context, body: body.toString('utf8').slice(0, 300) });
    }
  }

  /** Sends each hundred requests from another address, since guesses are limited by address. */
  const address = (n: number): string => `127.0.${1 + Math.floor(n / 100)}.1`;

  async function fuzzRequests(total: number, session: string): Promise<void> {
    for (let sent = 0; sent < total; sent += 1) {
      const { method, place, headers, body } = spoiltRequest(session);
      await new Promise<void>((resolve) => {
        let call: http.ClientRequest;
        try {
          call = http.request({
            host: '127.0.0.1',
            port: edge.port,
            localAddress: address(sent),
            method,
            path: place,
            headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) },
            agent: false,
            timeout: 20_000,
          });
        } catch {
          count('not sendable');
          return resolve();
        }
        call.on('response', (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', () => resolve());
          response.on('end', () => {
            judgeHttp(response.statusCode ?? 0, method, response.headers, Buffer.concat(parts), {
              method,
              place,
              headers,
              body: body?.subarray(0, 200).toString('latin1'),
            });
            resolve();
          });
        });
        call.on('timeout', () => {
          blame('no answer over HTTP', { method, place, headers });
          call.destroy();
        });
        call.on('close', () => resolve());
        call.on('error', () => {
          count('http connection ended');
          resolve();
        });
        call.end(body);
      });
    }
  }

  /** Sends bytes that are hardly HTTP: the box may answer 4xx or hang up. */
  async function fuzzRaw(total: number): Promise<void> {
    for (let sent = 0; sent < total; sent += 1) {
      const line = random.pick([
        'GET / HTTP/1.1',
        'GET /edge/meta HTTP/9.9',
        'PATCH /edge/uploads/x HTTP/1.1',
        'POST /edge/ops HTTP/1.1',
        'GARBAGE',
        `GET /${'a'.repeat(20_000)} HTTP/1.1`,
        'GET /\u0000 HTTP/1.1',
      ]);
      const headers = random.pick([
        'Host: x\r\nContent-Length: -1',
        'Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked',
        'Host: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        `X: ${'y'.repeat(30_000)}`,
        'Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 99',
        ': : :',
        '\u0001\u0002',
      ]);
      const bytes =
        random.below(4) === 0
          ? random.bytes(random.below(2_000))
          : Buffer.from(`${line}\r\n${headers}\r\n\r\n${random.below(2) === 0 ? 'rest' : ''}`, 'latin1');
      await new Promise<void>((resolve) => {
        const socket = net.connect({ port: edge.port, host: '127.0.0.1' });
        let heard = '';
        const enough = setTimeout(() => socket.destroy(), 100);
        socket.on('data', (part) => (heard += part.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearTimeout(enough);
          const status = /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1];
          count(`raw ${status ?? 'hung up'}`);
          if (status !== undefined && Number(status) >= 500) blame(`raw ${status}`, bytes.toString('latin1'));
          resolve();
        });
        socket.end(bytes);
      });
    }
  }

  it(`protocol: ${MESSAGES + REQUESTS + RAW} malformed messages and requests get their errors`, async () => {
    console.log(`fuzz: seed ${seed}`);
    const pid = edge.pid;
    const first = new IndependentClient({ url: edge.url, code: edge.code });
    const added = await addVoyage(first, path.join(folder.path, 'photos'), [200_000], random);
    expect(await first.drain()).toEqual([]);
    links.uid = added[0]!.op.docId;
    links.surveyId = added[1]!.op.docId;
    uploadId = (
      await first.ask<{ uploadId: string }>('image:path', {
        surveyId: links.surveyId,
        imageId: idFrom(random),
        path: 'x.jpg',
        bytes: 100_000,
        sha256: sha256('never'),
        type: 'image/jpeg',
      })
    ).uploadId;
    const before = memory('VmRSS');

    // A person works at the same time; each of their photographs must get its receipt.
    let over = false;
    const others: IndependentClient[] = [first];
    const served = (async (): Promise<number> => {
      let photographs = 0;
      for (; !over; photographs += 2) {
        const client = new IndependentClient({
          url: edge.url,
          code: edge.code,
          transport: photographs % 4 === 0 ? 'socket' : 'http',
        });
        others.push(client);
        await addVoyage(client, path.join(folder.path, 'photos'), [90_000, 1_000], random);
        const refused = await client.drain();
        if (refused.length > 0) blame('the honest client was refused', refused[0]?.refused);
        if (client.breaks > 0) blame('the honest client was cut off', client.breaks);
        client.stop();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return photographs;
    })();

    await Promise.all([
      fuzzSockets(MESSAGES / 2),
      fuzzSockets(MESSAGES / 2),
      fuzzRequests(REQUESTS, first.state.session ?? ''),
      fuzzRaw(RAW),
    ]);
    over = true;
    const photographs = await served;

    tally('broken messages and requests', MESSAGES + REQUESTS + RAW);
    console.log(
      `fuzz: ${[...answers]
        .sort((a, b) => b[1] - a[1])
        .map(([what, n]) => `${what} ${n}`)
        .join(
          ', ',
        )}; ${photographs} photographs of an honest client at the same time; memory ${Math.round(before)} to ${Math.round(memory('VmRSS'))} MiB, peak ${Math.round(memory('VmHWM'))} MiB`,
    );
    expect(Object.fromEntries(faults)).toEqual({});
    expect(edge.pid).toBe(pid);
    expect(edge.exited).toBeUndefined();
    expect(photographs).toBeGreaterThan(0);
    expect(memory('VmRSS') - before).toBeLessThan(300);

    // The box holds only what was acknowledged.
    const items = others.flatMap((client) => client.state.items);
    expect(await audit(edge, items, false)).toEqual([]);
    const acknowledged = new Set([...receipted, ...items.map((item) => item.op.opId)]);
    expect(
      (await wholeFeed(edge)).entries.flatMap(({ op }) =>
        op === undefined || acknowledged.has(op.opId) ? [] : [op.opId],
      ),
    ).toEqual([]);
    first.stop();
  });
});
