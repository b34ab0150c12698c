import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLocalCertificates } from '../../../edge-server/tls/local-certificates';
import { tempFolder } from '../../../tests/support/servers/client';
import { HttpLink } from './http-link';

const folder = tempFolder('body-line');

const BYTES = 5_000_000;
const content = randomBytes(BYTES);
const server = http.createServer();
const next: ((socket: Socket, response: http.ServerResponse) => void)[] = [];
const sockets = new Set<Socket>();
let requests = 0;
let link: HttpLink;

function headOf(bytes: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`;
}

beforeAll(async () => {
  server.on('request', (request, response) => {
    requests++;
    sockets.add(request.socket);
    const odd = next.shift();
    if (odd !== undefined) return odd(request.socket, response);
    const [, from = '0', to = String(BYTES - 1)] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
    const part = content.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, { 'Content-Length': part.length }).end(part);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link = new HttpLink({
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    token: () => 'token',
    silenceMs: 500,
  });
});
afterAll(() => {
  link.close();
  server.closeAllConnections();
  server.close();
  folder.remove();
});

async function read(
  headers: Readonly<Record<string, string>> = {},
  rest: () => Promise<unknown> = async () => undefined,
  from: HttpLink = link,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of from.body({ path: '/', headers })) {
    await rest();
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('the bridge: long bodies over a persistent connection', () => {
  it('a chunk stays unchanged until the next one is requested', async () => {
    let pieces = 0;
    const slow = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, pieces++ < 8 ? 20 : 0));
    expect(await read({}, slow)).toEqual({ bytes: BYTES, sha256: sha256(content) });
  });

  it('one connection carries body after body, small and large', async () => {
    const before = sockets.size;
    const asked = requests;
    for (const [from, to] of [
      [0, 0],
      [5, 4_000_004],
      [BYTES - 1, BYTES - 1],
      [1, BYTES - 2],
      [7, 1_000_000],
    ] as const) {
      expect(await read({ Range: `bytes=${from}-${to}` })).toEqual({
        bytes: to - from + 1,
        sha256: sha256(content.subarray(from, to + 1)),
      });
    }
    expect(sockets.size - before).toBe(0);
    expect(requests - asked).toBe(5);
  });

  it('a header split over several packets is read', async () => {
    next.push((socket) => {
      const head = headOf(3);
      socket.write(head.slice(0, 20));
      setTimeout(() => socket.write(head.slice(20, -2)), 20);
      setTimeout(() => socket.write(`${head.slice(-2)}ab`), 40);
      setTimeout(() => socket.end('c'), 60);
    });
    expect(await read()).toEqual({ bytes: 3, sha256: sha256(Buffer.from('abc')) });
  });

  it('a connection that the server has just closed is retried by the standard client', async () => {
    await read();
    next.push((socket) => socket.destroy());
    expect(await read({ Range: 'bytes=0-9' })).toEqual({ bytes: 10, sha256: sha256(content.subarray(0, 10)) });
  });

  it('a chunked response is read as well', async () => {
    const chunked = (_socket: Socket, response: http.ServerResponse): void =>
      void (response.write('ab'), response.end('c'));
    next.push(chunked, chunked);
    expect(await read()).toEqual({ bytes: 3, sha256: sha256(Buffer.from('abc')) });
  });

  it('a refusal has the server’s error message', async () => {
    const refuse = (_socket: Socket, response: http.ServerResponse): void =>
      void response
        .writeHead(404, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ ok: false, error: { code: 'not-found', message: 'It is not here.' } }));
    next.push(refuse, refuse);
    await expect(read()).rejects.toMatchObject({ code: 'not-found', message: 'It is not here.' });
  });

  it('a truncated body is a disconnected error', async () => {
    next.push((socket) => void socket.end(`${headOf(10)}half`));
    await expect(read()).rejects.toMatchObject({ code: 'disconnected' });
  });

  it('a body longer than announced is retried by the standard client', async () => {
    next.push((socket) => void socket.write(`${headOf(2)}more`));
    expect(await read({ Range: 'bytes=0-9' })).toEqual({ bytes: 10, sha256: sha256(content.subarray(0, 10)) });
  });

  it('https works with the box’s certificate authority and with no other', async () => {
    const { cert, key, ca } = await loadLocalCertificates(folder.path, 'The box', ['localhost'], Date.now());
    let asked = 0;
    const safe = https.createServer(
      { cert, key },
      (_request, response) => void (asked++, response.writeHead(200, { 'Content-Length': BYTES }).end(content)),
    );
    safe.listen(0, 'localhost');
    await once(safe, 'listening');
    const url = new URL(`https://localhost:${(safe.address() as AddressInfo).port}`);
    const [known, unknown] = [ca.pem, undefined].map(
      (pem) => new HttpLink({ url, token: () => 'token', silenceMs: 5000, ca: () => pem }),
    ) as [HttpLink, HttpLink];
    expect(await read({}, undefined, known)).toEqual({ bytes: BYTES, sha256: sha256(content) });
    expect(await read({}, undefined, known)).toEqual({ bytes: BYTES, sha256: sha256(content) });
    await expect(read({}, undefined, unknown)).rejects.toMatchObject({
      code: 'disconnected',
      details: { certificate: expect.any(String) as string },
    });
    expect(asked).toBe(2);
    known.close();
    safe.closeAllConnections();
    safe.close();
  });

  it('silence within a body times out', async () => {
    next.push((socket) => void socket.write(`${headOf(10)}half`));
    await expect(read()).rejects.toMatchObject({ code: 'timeout' });
  });

  it('an abandoned body leaves nothing for the next reader', async () => {
    const ended = new AbortController();
    const pieces = link.body({ path: '/', headers: {}, signal: ended.signal })[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.return?.();
    expect(await read({ Range: 'bytes=3-9' })).toEqual({ bytes: 7, sha256: sha256(content.subarray(3, 10)) });
    const aborted = link.body({ path: '/', headers: {}, signal: ended.signal })[Symbol.asyncIterator]();
    await aborted.next();
    ended.abort();
    await expect(
      (async () => {
        while (!(await aborted.next()).done);
      })(),
    ).rejects.toMatchObject({ code: 'disconnected' });
  });
});
