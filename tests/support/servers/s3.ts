/** Bucket on loopback, behind a proxy that misbehaves on request. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';

export const BUCKET = 'reef';

/**
 * Behaviour of the proxy on the next requests: forwards them, answers 503, forwards them and cuts the answer, or cuts
 * the request in half.
 */
export type ProxyMode = 'well' | 'away' | 'answer-lost' | 'request-cut';

export interface TestBucket {
  readonly endpoint: string;
  readonly env: Readonly<Record<string, string>>;
  /** Number of `PUT`s that reached the bucket whole. */
  readonly puts: () => number;
  /** @param times number of affected requests, after which all is well again */
  be(mood: ProxyMode, times?: number): void;
  /** Changes a byte of a stored object; the bucket still reports the original length and MD5. */
  alter(sha256: string): void;
  close(): Promise<void>;
}

export async function testBucket(): Promise<TestBucket> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'reef-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  let mood: ProxyMode = 'well';
  let left = 0;
  let puts = 0;
  const proxy = http.createServer((request, response) => {
    const now = left > 0 ? mood : 'well';
    if (left > 0) left--;
    if (now === 'away') {
      request.resume();
      response.writeHead(503, { 'content-type': 'application/xml' }).end('<Error><Code>SlowDown</Code></Error>');
      return;
    }
    if (now === 'request-cut') {
      if (request.method === 'PUT') request.once('data', () => request.socket.destroy());
      else request.socket.destroy();
      return;
    }
    const on = http.request(
      { host: '127.0.0.1', port, method: request.method, path: request.url, headers: request.headers, agent: false },
      (answer) => {
        if (request.method === 'PUT' && answer.statusCode === 200) puts++;
        if (now === 'answer-lost') {
          answer.resume();
          request.socket.destroy();
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    on.on('error', () => response.destroy());
    request.pipe(on);
  });
  // An idle connection that closes just when it is used again fails a request for no reason of the test's: on a busy
  // machine all of them idle for the 5 s of the default. For the same reason the bucket gets a connection a request.
  proxy.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    endpoint,
    env: { S3_ENDPOINT: endpoint, S3_BUCKET: BUCKET, S3_KEY: 'S3RVER', S3_SECRET: 'S3RVER' },
    puts: () => puts,
    be(next, times = Infinity) {
      mood = next;
      left = times;
    },
    alter(sha256) {
      const found = (readdirSync(directory, { recursive: true }) as string[]).filter(
        (name) => path.basename(name).startsWith(sha256) && name.endsWith('_object'),
      );
      if (found.length !== 1) throw new Error(`${found.length} objects of the bucket are called ${sha256}`);
      const file = path.join(directory, found[0] ?? '');
      const bytes = readFileSync(file);
      bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
      writeFileSync(file, bytes);
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
