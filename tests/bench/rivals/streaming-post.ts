// Rival: the least that counts as durable: body streamed to a file, fdatasync, answer. No resuming, no hash, no record.
import { createWriteStream, fdatasync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { announce } from './ready';

const sync = promisify(fdatasync);
let files = 0;

const server = createServer((request, response) => {
  const file = createWriteStream(path.join(process.env['BENCH_FOLDER'] ?? '', `${++files}`), { autoClose: false });
  const opened = new Promise<number>((resolve) => file.once('open', resolve));
  pipeline(request, file)
    .then(async () => {
      await sync(await opened);
      file.close();
      response.writeHead(201, { 'Content-Length': 0 }).end();
    })
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
});
announce(server);
