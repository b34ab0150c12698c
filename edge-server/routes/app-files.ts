import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import { page } from './page';

/** Addresses of the servers; the app has no page there. */
const SERVER_ADDRESS = /^\/(edge|cache|tiles|metrics|healthz)(\/|$)/;

/**
 * `/`: the built app. Unknown addresses without an extension are pages of the app and get its `index.html`.
 *
 * @param folder of the built app, or null where it is not built
 */
export async function appFileRoutes(app: FastifyInstance, folder: string | null): Promise<void> {
  const built = folder !== null && existsSync(path.join(folder, 'index.html')) ? folder : null;
  if (built !== null) {
    await app.register(fastifyStatic, {
      root: built,
      cacheControl: false,
      // Made by the build (`scripts/compress.mjs`); the box compresses nothing while it works.
      preCompressed: true,
      index: ['index.html'],
      setHeaders(response, file) {
        void response.header('Cache-Control', cacheControl(path.relative(built, file)));
        if (/\.mjs(\.br|\.gz)?$/.test(file)) void response.header('Content-Type', 'text/javascript; charset=utf-8');
        if (/\.webmanifest(\.br|\.gz)?$/.test(file)) void response.header('Content-Type', 'application/manifest+json; charset=utf-8');
      },
    });
  } else {
    app.get('/*', async (request, reply) => {
      if (!wantsPage(request.url)) throw new ReefError('not-found');
      return reply.header('Cache-Control', 'no-store').type('text/html; charset=utf-8').send(page('The app is not built yet', '<p>The box runs and takes photographs, but the app it should show has not been built. Run <code>npm run build</code> and start the box again.</p>'));
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (built !== null && (request.method === 'GET' || request.method === 'HEAD') && wantsPage(request.url)) return reply.header('Cache-Control', 'no-cache').sendFile('index.html');
    throw new ReefError('not-found');
  });
}

function wantsPage(url: string): boolean {
  const [address = '/'] = url.split('?');
  return !SERVER_ADDRESS.test(address) && path.posix.extname(address) === '';
}

/** Files with a hash in their name never change; the page, its worker and its manifest are asked for every time. */
function cacheControl(file: string): string {
  return file.split(path.sep)[0] === 'assets' ? 'public, max-age=31536000, immutable' : 'no-cache';
}
