import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compressFolder } from '../../../scripts/compress.mjs';
import { appFileRoutes } from '../../../src/server/http/app-files';
import { html } from '../../../src/server/pages/html';

const SCRIPT = `export const words = ${JSON.stringify('reef census '.repeat(500))};`;
const PAGE = `<!doctype html><title>Great Reef Census</title>${'<p>reef</p>'.repeat(300)}`;
const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-app-files-'));
let app: FastifyInstance;
let port = 0;

beforeAll(async () => {
  mkdirSync(path.join(folder, 'assets'));
  writeFileSync(path.join(folder, 'index.html'), PAGE);
  writeFileSync(path.join(folder, 'assets', 'a.js'), SCRIPT);
  writeFileSync(path.join(folder, 'assets', 'b.mjs'), SCRIPT);
  writeFileSync(path.join(folder, 'assets', 'small.js'), 'export {};');
  for (const name of ['latin-wght-normal-Bl-S9_ys', 'latin-ext-wght-normal-B5dZ8C4S'])
    writeFileSync(path.join(folder, 'assets', `work-sans-${name}.woff2`), name);
  writeFileSync(path.join(folder, 'manifest.webmanifest'), JSON.stringify({ name: 'x'.repeat(2000) }));
  compressFolder(folder);
  app = Fastify();
  await appFileRoutes(app, { folder, notBuilt: html`` });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Requests without decoding, unlike `fetch`. */
function ask(
  place: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    http
      .request({ port, host: '127.0.0.1', path: place, method, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
        );
      })
      .on('error', reject)
      .end();
  });
}

it.each([
  ['/assets/a.js', SCRIPT, /^(text|application)\/javascript/],
  ['/assets/b.mjs', SCRIPT, /^(text|application)\/javascript/],
  ['/', PAGE, /^text\/html; charset=utf-8$/],
  ['/surveys/abcdefghijkl', PAGE, /^text\/html; charset=utf-8$/],
])('%s is sent with the best accepted compression and decodes unchanged', async (place, text, type) => {
  const [brotli, gzip, plain, none] = await Promise.all([
    ask(place, { 'accept-encoding': 'gzip, deflate, br' }),
    ask(place, { 'accept-encoding': 'gzip' }),
    ask(place),
    ask(place, { 'accept-encoding': 'br;q=0, gzip;q=0' }),
  ]);
  expect([brotli, gzip, plain, none].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(brotli.body).toString()).toBe(text);
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(gzip.body).toString()).toBe(text);
  for (const answer of [plain, none]) {
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.body.toString()).toBe(text);
  }
  for (const { headers } of [brotli, gzip, plain]) {
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(headers['content-type']).toMatch(type);
  }
  expect(new Set([brotli, gzip, plain].map(({ headers }) => headers.etag)).size).toBe(3);
  expect(brotli.body.length).toBeLessThan(text.length / 4);
  const again = await ask(place, { 'accept-encoding': 'br', 'if-none-match': brotli.headers.etag ?? '' });
  expect(again.status).toBe(304);
  expect((await ask(place, { 'accept-encoding': 'br' }, 'HEAD')).headers['content-encoding']).toBe('br');
});

it('immutable files are cached for a year, and the rest is revalidated', async () => {
  expect((await ask('/assets/a.js', { 'accept-encoding': 'br' })).headers['cache-control']).toContain('immutable');
  for (const place of ['/', '/manifest.webmanifest', '/box/clock'])
    expect((await ask(place, { 'accept-encoding': 'br' })).headers['cache-control']).toBe('no-cache');
  expect((await ask('/manifest.webmanifest', { 'accept-encoding': 'br' })).headers['content-type']).toContain(
    'application/manifest+json',
  );
});

it('an already compressed file is sent unchanged', async () => {
  expect(existsSync(path.join(folder, 'assets', 'small.js.br'))).toBe(false);
  const answer = await ask('/assets/small.js', { 'accept-encoding': 'br, gzip' });
  expect([answer.status, answer.headers['content-encoding'], answer.body.toString()]).toEqual([
    200,
    undefined,
    'export {};',
  ]);
});

it('protocol, Edge HTTP: a font of the pages is the app’s own file, and 404 where the build has none', async () => {
  const font = await ask('/fonts/work-sans-latin-wght-normal.woff2');
  expect(font.status).toBe(302);
  expect(font.headers).toMatchObject({
    location: '/assets/work-sans-latin-wght-normal-Bl-S9_ys.woff2',
    'cache-control': 'no-cache',
  });
  const file = await ask(String(font.headers.location));
  expect(file.body.toString()).toBe('latin-wght-normal-Bl-S9_ys');
  expect(file.headers).toMatchObject({
    'content-type': 'font/woff2',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  for (const none of ['/fonts/poppins-latin-500-normal.woff2', '/fonts/../assets/a.js', '/fonts/a.woff2'])
    expect((await ask(none)).status, none).not.toBe(302);
  expect((await ask('/fonts/poppins-latin-500-normal.woff2')).status).toBe(404);
});
