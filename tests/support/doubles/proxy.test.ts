import http from 'node:http';
import net from 'node:net';
import { Server } from 'socket.io';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { startProxy, type FaultProxy } from './proxy';
import { seeded } from '../seed';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Echo server that records what it received. */
async function echo(): Promise<{ port: number; heard: () => number; ends: string[] }> {
  let heard = 0;
  const ends: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (bytes) => {
      heard += bytes.length;
      socket.write(bytes);
    });
    socket.on('end', () => ends.push('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => ends.push(error.code ?? 'error'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
      }),
  );
  return { port: (server.address() as net.AddressInfo).port, heard: () => heard, ends };
}

async function proxied(port: number, seed?: number, look?: 'bytes' | 'messages'): Promise<FaultProxy> {
  const proxy = await startProxy(port, seed, look);
  closers.push(() => proxy.close());
  return proxy;
}

/** Sends bytes and returns what came back by the end of the connection, or once `want` bytes are there. */
function talk(
  port: number,
  bytes: Buffer,
  want = bytes.length,
): Promise<{ back: Buffer; how: 'full' | 'end' | string; socket: net.Socket }> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = net.connect(port, '127.0.0.1');
    const done = (how: string): void => resolve({ back: Buffer.concat(parts), how, socket });
    socket.on('data', (part) => {
      parts.push(part);
      if (Buffer.concat(parts).length >= want) done('full');
    });
    socket.on('end', () => done('end'));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'error'));
    socket.on('close', () => done('end'));
    closers.push(async () => socket.destroy());
    socket.write(bytes);
  });
}

describe('the fault proxy', () => {
  const bytes = seeded(7).bytes(100_000);

  it('passes bytes on unchanged, repeatably by seed', async () => {
    const proxy = await proxied((await echo()).port);
    expect((await talk(proxy.port, bytes)).back.equals(bytes)).toBe(true);
    expect(seeded(7).bytes(100_000).equals(bytes)).toBe(true);
    expect(seeded(8).bytes(100_000).equals(bytes)).toBe(false);
  });

  it('cuts after exactly N bytes on the way up', async () => {
    const server = await echo();
    const proxy = await proxied(server.port);
    for (const after of [0, 1, 777, 65_536]) {
      const before = server.heard();
      proxy.arm({ kind: 'cut', towards: 'up', after });
      expect((await talk(proxy.port, bytes)).how).not.toBe('full');
      await until(() => server.heard() - before === after);
      expect(proxy.fired).toBe(true);
    }
    expect(proxy.counts.cut).toBe(4);
    expect((await talk(proxy.port, bytes)).how).toBe('full');
  });

  it('cuts after exactly N bytes on the way down', async () => {
    const proxy = await proxied((await echo()).port);
    proxy.arm({ kind: 'cut', towards: 'down', after: 1234 });
    const answer = await talk(proxy.port, bytes);
    expect(answer.how).toBe('end');
    expect(answer.back.equals(bytes.subarray(0, 1234))).toBe(true);
  });

  it('resets both ends', async () => {
    const server = await echo();
    const proxy = await proxied(server.port);
    proxy.arm({ kind: 'reset', towards: 'up', after: 10 });
    expect((await talk(proxy.port, bytes)).how).toBe('ECONNRESET');
    await until(() => server.ends.includes('ECONNRESET'));
  });

  it('leaves a connection half-open and silent while others continue', async () => {
    const server = await echo();
    const proxy = await proxied(server.port);
    proxy.arm({ kind: 'half-open', towards: 'up', after: 50 });
    const socket = net.connect(proxy.port, '127.0.0.1');
    closers.push(async () => socket.destroy());
    const events: string[] = [];
    for (const name of ['data', 'end', 'error', 'close']) socket.on(name, () => events.push(name));
    socket.write(bytes);
    await until(() => server.heard() === 50);
    expect((await talk(proxy.port, bytes)).how).toBe('full');
    expect(events).toEqual([]);
    expect(server.ends.length).toBeLessThanOrEqual(1);
    expect(proxy.open).toBeGreaterThan(0);
  });

  it('slows both ways and loses nothing', async () => {
    const proxy = await proxied((await echo()).port);
    proxy.slow(2_000_000);
    expect((await talk(proxy.port, bytes)).back.equals(bytes)).toBe(true);
  });

  it('duplicates, swaps and delays socket.io messages with their attachments', async () => {
    const web = http.createServer();
    const server = new Server(web);
    const heard: string[] = [];
    server.on('connection', (socket) =>
      socket.on('note', (n: number, blob: Buffer, ack: (text: string) => void) => {
        heard.push(`${n}:${blob.toString('hex')}`);
        ack(`ok ${n}`);
      }),
    );
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const run = async (seed: number): Promise<string[]> => {
      heard.length = 0;
      const proxy = await proxied((web.address() as net.AddressInfo).port, seed, 'messages');
      proxy.shuffle({ duplicate: 0.3, swap: 0.3, replay: 0.2, holdMs: 40 });
      const socket = io(`http://127.0.0.1:${proxy.port}`, { transports: ['websocket'], reconnection: false });
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => socket.emitWithAck('note', n, Buffer.from([n, 255 - n]))),
      );
      expect(answers).toEqual(Array.from({ length: 40 }, (_, n) => `ok ${n}`));
      socket.disconnect();
      await until(() => proxy.open === 0 && proxy.counts.swapped > 0);
      expect(proxy.counts.duplicated).toBeGreaterThan(0);
      expect(proxy.counts.replayed).toBeGreaterThan(0);
      return [...heard];
    };
    const first = await run(3);
    expect(new Set(first).size).toBe(40);
    expect(first.length).toBeGreaterThan(40);
    expect(first).not.toEqual([...first].sort((a, b) => parseInt(a) - parseInt(b)));
    for (const line of first) expect(line).toMatch(/^(\d+):/);
  });
});

async function until(true_: () => boolean): Promise<void> {
  while (!true_()) await new Promise((resolve) => setTimeout(resolve, 5));
}
