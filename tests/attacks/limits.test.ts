import https from 'node:https';
import net from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTION_LIMITS, STRANGER_BODY_MAX } from '../../src/server/http/connection-limits';
import { UNVERIFIED_LIMITS } from '../../edge-server/socket/unverified';
import { EDGE_SOCKET_PATH } from '../../src/protocol/edge-socket';
import { EdgeClient, newId, pairedClient, photograph, sha256, surveyOp } from '../support/servers/edge-client';
import type { LocalEdge } from '../support/servers/local-edge';
import { startLocalEdge } from '../support/servers/local-edge';
import { RawSocket, textFrame } from '../support/servers/raw-socket';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});
function closing<Closes extends { close(): unknown }>(one: Closes): Closes {
  open.push(one);
  return one;
}

const verifyMessage = (code: string) => ({
  protocol: { min: 1, max: 1 },
  app: { version: '1.0.0' },
  device: { id: newId(), name: 'Tablet' },
  code,
});
/** Socket.io's packet of a connection, of exactly so many bytes. */
const connectPacket = (bytes: number) => {
  const empty = `40${JSON.stringify({ more: '' })}`;
  return `40${JSON.stringify({ more: 'x'.repeat(bytes - empty.length) })}`;
};
/** Socket.io's packet of an event that asks for an acknowledgement. */
const packet = (event: string, message: object) => `420${JSON.stringify([event, message])}`;

describe('a stranger on the Wi-Fi: sockets before they are verified', () => {
  let box: LocalEdge;
  beforeAll(async () => {
    // Long enough that nothing but the limit of its test ends a socket.
    box = await startLocalEdge({ unverified: { verifyMs: 600_000 } });
  });
  afterAll(() => box.close());

  /** Verifies by hand with exactly so many bytes on the wire. */
  async function verifyWith(bytes: number): Promise<RawSocket> {
    const socket = closing(await RawSocket.webSocket(box.url));
    const joined = textFrame('40');
    // Both are above 125 bytes, so that their heads have the same length.
    const plain = textFrame(packet('verify', { ...verifyMessage(box.code), more: '' }));
    const more = 'x'.repeat(bytes - joined.length - plain.length);
    socket.send(joined);
    await socket.says('40{');
    socket.send(textFrame(packet('verify', { ...verifyMessage(box.code), more })));
    return socket;
  }

  it('a socket that carries 64 KiB in all verifies, and one more byte ends it', async () => {
    const exact = await verifyWith(UNVERIFIED_LIMITS.bytes);
    await exact.says('"ok":true');
    const beyond = await verifyWith(UNVERIFIED_LIMITS.bytes + 1);
    await beyond.closed;
    expect(beyond.received).not.toContain('"ok":true');
  });

  it('many small messages count together', async () => {
    const socket = closing(await RawSocket.webSocket(box.url));
    socket.send(textFrame('40'));
    for (let i = 0; i < 70; i++) socket.send(textFrame(packet('owing', { more: 'x'.repeat(1000) })));
    await socket.closed;
  });

  it('once verified, a socket carries full chunks', async () => {
    const client = closing(await pairedClient(box));
    const survey = surveyOp();
    expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
    expect(await client.photograph(survey.docId, photograph(300_000))).toMatchObject({ ok: true });
  });

  it('over long polling a message of 64 KiB is read, and one more byte is not', async () => {
    const address = `${box.url}${EDGE_SOCKET_PATH}/?EIO=4&transport=polling`;
    const post = async (bytes: number): Promise<number> => {
      const opened = await (await fetch(address)).text();
      const { sid } = JSON.parse(opened.slice(1)) as { sid: string };
      const answer = await fetch(`${address}&sid=${sid}`, { method: 'POST', body: connectPacket(bytes) });
      return answer.status;
    };
    expect(await post(UNVERIFIED_LIMITS.bytes)).toBe(200);
    expect(await post(UNVERIFIED_LIMITS.bytes + 1)).toBe(413);
  });

  it.each([[['polling']], [['polling', 'websocket']]])(
    'verified over long polling, a socket carries more, upgraded or not: %s',
    async (transports) => {
      const client = closing(await EdgeClient.connect(box.url, { transports }));
      expect(await client.verify({ code: box.code })).toMatchObject({ ok: true });
      const survey = surveyOp();
      expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
      expect(await client.photograph(survey.docId, photograph(300_000))).toMatchObject({ ok: true });
    },
  );

  it.each([
    ['its own id', (sid: string) => `&sid=${sid}`],
    ['another id before its own', (sid: string) => `&sid=other&sid=${sid}`],
  ])('an upgrade that is not verified carries no more than a new socket: %s', async (_name, named) => {
    const address = `${EDGE_SOCKET_PATH}/?EIO=4&transport=`;
    const { sid } = JSON.parse((await (await fetch(`${box.url}${address}polling`)).text()).slice(1)) as { sid: string };
    const socket = closing(await RawSocket.open(box.url));
    socket.send(
      `GET ${address}websocket${named(sid)} HTTP/1.1\r\nHost: box\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    await socket.says('101');
    // A frame that announces a megabyte and never ends.
    socket.send(textFrame(`2probe${'x'.repeat(1_000_000)}`).subarray(0, UNVERIFIED_LIMITS.bytes + 1));
    await socket.closed;
    // Destroyed, and not closed in words by the engine's own time limit.
    expect(socket.received.slice(socket.received.indexOf('\r\n\r\n'))).not.toContain('\x88');
  });

  it('a message that asks for thousands of sockets opens none, and ends its connection', async () => {
    const address = `${box.url}${EDGE_SOCKET_PATH}/?EIO=4&transport=polling`;
    const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1)) as { sid: string };
    await fetch(`${address}&sid=${sid}`, { method: 'POST', body: Array(20_000).fill('40').join('\x1e') });
    expect(await (await fetch(`${address}&sid=${sid}`)).text()).not.toContain('40{');
    const socket = closing(await RawSocket.webSocket(box.url));
    socket.send(Buffer.concat(Array<Buffer>(2000).fill(textFrame('40'))));
    await socket.closed;
    expect(socket.received).not.toContain('40{');
  });

  it('one address has 64 sockets that are not verified, and no more', async () => {
    const sockets: RawSocket[] = [];
    for (let i = 0; i < UNVERIFIED_LIMITS.perAddress; i++)
      sockets.push(closing(await RawSocket.webSocket(box.url, '127.0.0.9')));
    const beyond = closing(await RawSocket.webSocket(box.url, '127.0.0.9'));
    await beyond.closed;
    expect(sockets.every(({ isOpen }) => isOpen)).toBe(true);
    closing(await pairedClient(box));
    // Verified, a socket makes room for the next one.
    sockets[0]?.send(textFrame('40'));
    await sockets[0]?.says('40{');
    sockets[0]?.send(textFrame(packet('verify', verifyMessage(box.code))));
    await sockets[0]?.says('"ok":true');
    const next = closing(await RawSocket.webSocket(box.url, '127.0.0.9'));
    next.send(textFrame('40'));
    await next.says('40{');
  });

  it('a message of another shape is refused before anything walks it', async () => {
    const client = closing(await EdgeClient.connect(box.url));
    let deep: unknown = 0;
    for (let i = 0; i < 1000; i++) deep = [deep];
    // Walked first, the nesting would be the error.
    expect(await client.verify({ code: box.code, deep, app: {} })).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'app.version' },
    });
    expect(await client.verify({ code: box.code, deep })).toMatchObject({ ok: false, error: { code: 'bad-message' } });
  });
});

describe('a stranger on the Wi-Fi: sockets that do not verify', () => {
  it('silent and chatting sockets end in time; a verified one stays', async () => {
    const box = closing(await startLocalEdge({ unverified: { verifyMs: 1500 } }));
    const honest = closing(await pairedClient(box));
    const silent = closing(await RawSocket.webSocket(box.url));
    const chatting = closing(await EdgeClient.connect(box.url));
    const ended = new Promise((resolve) => chatting.socket.once('disconnect', resolve));
    expect(await chatting.send('query', { name: 'meta' })).toMatchObject({ error: { code: 'unauthorised' } });
    expect(await chatting.verify({ code: 'AAAA-AAAA' })).toMatchObject({ error: { code: 'pairing-wrong' } });
    await Promise.all([silent.closed, ended]);
    expect(await honest.send('query', { name: 'meta' })).toMatchObject({ ok: true });
  });

  it('a verify that the box is slow to answer is answered after the time', async () => {
    const box = closing(await startLocalEdge({ unverified: { verifyMs: 1000 } }));
    const { blobs } = box.edge.context;
    const disk = blobs.disk.bind(blobs);
    const silent = closing(await RawSocket.webSocket(box.url));
    blobs.disk = async () => {
      // The silent socket's time began earlier: once it is over, so is this one's.
      await silent.closed;
      return disk();
    };
    const client = closing(await EdgeClient.connect(box.url));
    expect(await client.verify({ code: box.code })).toMatchObject({ ok: true });
    blobs.disk = disk;
    expect(await client.send('query', { name: 'gps' })).toMatchObject({ ok: true });
  });
});

describe('a stranger on the Wi-Fi: connections and slow requests', () => {
  const LIMITS = { perAddress: 20, headMs: 1000, strangerBodyMs: 1000, slowBytes: 1000, slowMs: 1500 };
  let box: LocalEdge;
  beforeAll(async () => {
    box = await startLocalEdge({ limits: LIMITS });
  });
  afterAll(() => box.close());

  it('connections without a request, or with half a head, are destroyed', async () => {
    const silent = closing(await RawSocket.open(box.url));
    const half = closing(await RawSocket.open(box.url));
    half.send('GET /healthz HTTP/1.1\r\nHost: box\r\n');
    await Promise.all([silent.closed, half.closed]);
    expect(silent.received + half.received).toBe('');
  });

  it('half a TLS handshake is destroyed', async () => {
    const secure = closing(
      await startLocalEdge({ limits: LIMITS }, { PUBLIC_URL: 'https://127.0.0.1', EDGE_NAME: 'Attacked' }),
    );
    const silent = closing(await RawSocket.open(secure.url));
    await silent.closed;
    const ca = secure.edge.context.localCa()?.pem ?? '';
    const status = await new Promise<number | undefined>((resolve, reject) => {
      https
        .get(`${secure.url}/healthz`, { ca, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .once('error', reject);
    });
    expect(status).toBe(200);
  });

  it('invalid HTTP is answered and destroyed, though the other end never closes', async () => {
    const { server } = box.edge.app;
    const came = new Promise<Socket>((resolve) => server.once('connection', resolve));
    // Neither closes nor sends any more.
    const client = net.connect({ port: Number(new URL(box.url).port), host: '127.0.0.1', allowHalfOpen: true });
    const answer = new Promise<string>((resolve) => client.once('data', (part: Buffer) => resolve(part.toString())));
    client.write('NONSENSE\r\n\r\n');
    expect(await answer).toContain('400 Bad Request');
    const socket = await came;
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    client.destroy();
  });

  it('one address has its connections, and the next is destroyed', async () => {
    const sockets: RawSocket[] = [];
    for (let i = 0; i < LIMITS.perAddress; i++) {
      const socket = closing(await RawSocket.open(box.url, '127.0.0.8'));
      socket.send('GET /healthz HTTP/1.1\r\nHost: box\r\n\r\n');
      await socket.says('200 OK');
      sockets.push(socket);
    }
    const beyond = closing(await RawSocket.open(box.url, '127.0.0.8'));
    beyond.send('GET /healthz HTTP/1.1\r\nHost: box\r\n\r\n');
    await beyond.closed;
    expect(beyond.received).toBe('');
    const other = closing(await RawSocket.open(box.url, '127.0.0.7'));
    other.send('GET /healthz HTTP/1.1\r\nHost: box\r\n\r\n');
    await other.says('200 OK');
    sockets[0]?.close();
    await sockets[0]?.closed;
    expect((await fetch(`${box.url}/healthz`)).status).toBe(200);
  });

  it('a body of a stranger comes in time or not at all', async () => {
    const socket = closing(await RawSocket.open(box.url));
    socket.send(
      'POST /edge/sign-in HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
    );
    const drip = setInterval(() => socket.send(' '.repeat(100)), 20);
    await socket.closed.finally(() => clearInterval(drip));
    expect(socket.received).toBe('');
  });

  it('the rest of a refused request comes in time or not at all', async () => {
    const socket = closing(await RawSocket.open(box.url));
    socket.send(
      'POST /edge/ops HTTP/1.1\r\nHost: box\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{',
    );
    await socket.says('401 Unauthorized');
    const drip = setInterval(() => socket.send(' '.repeat(100)), 20);
    await socket.closed.finally(() => clearInterval(drip));
  });

  it('a body of 64 KiB is read on an open route, and one more byte is not', async () => {
    const post = async (bytes: number): Promise<string> => {
      const frame = JSON.stringify({ more: '' }).length;
      const answer = await fetch(`${box.url}/edge/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ more: 'x'.repeat(bytes - frame) }),
      });
      return ((await answer.json()) as { error: { code: string } }).error.code;
    };
    expect(await post(STRANGER_BODY_MAX)).toBe('bad-message');
    expect(await post(STRANGER_BODY_MAX + 1)).toBe('too-large');
  });

  it('a tablet’s upload lasts while it makes progress, and ends when it does not', async () => {
    const client = closing(await pairedClient(box));
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const begin = async (): Promise<RawSocket> => {
      const content = photograph(1_000_000);
      const { uploadId } = await client.send('image:path', {
        surveyId: survey.docId,
        imageId: newId(),
        path: '1.jpg',
        bytes: content.length,
        sha256: sha256(content),
        type: 'image/jpeg',
      });
      const socket = closing(await RawSocket.open(box.url));
      socket.send(
        `PATCH /edge/uploads/${String(uploadId)} HTTP/1.1\r\nHost: box\r\nAuthorization: Bearer ${client.session}\r\nContent-Type: application/partial-upload\r\nUpload-Offset: 0\r\nContent-Length: ${content.length}\r\n\r\n`,
      );
      socket.send(content.subarray(0, 12));
      return socket;
    };
    const [quick, slow] = [await begin(), await begin()];
    const drips = [
      setInterval(() => quick.send(photograph(1000)), 50),
      setInterval(() => slow.send(photograph(12)), 50),
    ];
    await slow.closed.finally(() => clearInterval(drips[1]));
    expect(quick.isOpen).toBe(true);
    clearInterval(drips[0]);
    await quick.closed;
  });
});

describe('a crew of twelve tablets behind one access point', () => {
  it('meets no limit of connections', async () => {
    const box = closing(await startLocalEdge());
    const clients = await Promise.all(Array.from({ length: 12 }, () => pairedClient(box)));
    for (const client of clients) closing(client);
    const requests = await Promise.all(
      Array.from({ length: 72 }, async () => {
        const socket = closing(await RawSocket.open(box.url));
        socket.send('GET /healthz HTTP/1.1\r\nHost: box\r\n\r\n');
        await socket.says('200 OK');
        return socket.isOpen;
      }),
    );
    expect(requests.every(Boolean)).toBe(true);
    for (const client of clients) expect(await client.send('query', { name: 'gps' })).toMatchObject({ ok: true });
    expect(CONNECTION_LIMITS.perAddress).toBeGreaterThan(2 * (12 + 72));
  });
});
