/** Pages with a part of the app alone, for browser tests and benchmarks; not part of the app. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import type { Plugin } from 'vite';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

/** A worker of imports alone needs their side effects; the project's package declares that only styles have any. */
const whole: Plugin = {
  name: 'whole-workers',
  transform: (code, id) => (/worker/.test(path.basename(id)) ? { code, moduleSideEffects: true } : null),
};

/** Sends a file, or the range of it that is asked for. */
function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { type, bytes }: { readonly type: string; readonly bytes: Buffer },
): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined) return void response.writeHead(200, { 'content-type': type }).end(bytes);
  const part = bytes.subarray(Number(from), Number(to) + 1);
  response.writeHead(206, {
    'content-type': type,
    'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${bytes.length}`,
  });
  response.end(part);
}

type PageFiles = Readonly<Record<string, { readonly type: string; readonly bytes: Buffer }>>;
type ServedPage = Promise<{ readonly origin: string; readonly stop: () => Promise<void> }>;

/** Page with only the viewer and a tracing session, on a free port, with further files under `/files/`. */
export const serveViewerPage = (files: PageFiles = {}): ServedPage =>
  servePage('viewer-page', ['index.html', 'rival.html'], files);

/** Page with the labelling screen over `/files/picture` and `/files/outlines.json`; its repository keeps nothing. */
export const serveLabellingPage = (files: PageFiles): ServedPage => servePage('labelling-page', ['index.html'], files);

/**
 * Page with the report map over archives and tables under `/files/` (`report-map-data.ts`); `rival.html` has the same
 * outlines as a GeoJSON source, `empty.html` a MapLibre map without any.
 */
export const serveReportMapPage = (files: PageFiles): ServedPage =>
  servePage('report-map-page', ['index.html', 'rival.html', 'empty.html'], files);

async function servePage(name: string, inputs: readonly string[], files: PageFiles): ServedPage {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-viewer-'));
  const root = path.join(import.meta.dirname, name);
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: inputs.map((input) => path.join(root, input)) },
    },
    worker: { format: 'es', plugins: () => [whole] },
    plugins: [react()],
  });
  const server = createServer((request, response) => {
    const address = (request.url ?? '/').split('?')[0] ?? '/';
    const file = files[address.replace('/files/', '')];
    if (file !== undefined) return sendFile(request, response, file);
    if (address === '/favicon.ico') return response.writeHead(204).end();
    const place = path.join(folder, address === '/' ? 'index.html' : address);
    return response
      .writeHead(200, { 'content-type': TYPES[path.extname(place)] ?? 'application/octet-stream' })
      .end(readFileSync(place));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
