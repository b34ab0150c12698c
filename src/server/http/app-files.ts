import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ReefError } from '../../domain/errors';
import { SERVER_PATH_PATTERN } from '../../protocol/server-paths';
import type { Html } from '../pages/html';
import { acceptsEncoding, hasEtag } from './conditional';
import { page, sendPage } from '../pages/page';
import { PAGE_FONTS, pageFontPath } from '../pages/page-fonts';

/** Options of {@link appFileRoutes}. */
interface AppFiles {
  readonly folder: string | null;
  readonly notBuilt: Html;
}

/** `/`: the built app. Unknown addresses without an extension get its `index.html`. */
export async function appFileRoutes(app: FastifyInstance, { folder, notBuilt }: AppFiles): Promise<void> {
  const wantsPage = (url: string): boolean => {
    const [address = '/'] = url.split('?');
    return !SERVER_PATH_PATTERN.test(address) && path.posix.extname(address) === '';
  };
  const built = folder !== null && existsSync(path.join(folder, 'index.html')) ? folder : null;
  if (built !== null) {
    const answer = firstPage(built);
    const fonts = builtFonts(built);
    await app.register(async (files) => {
      // Runs before the file look-up, which takes longer than the answer.
      files.addHook('onRequest', async (request, reply) => {
        if (wantsPage(request.url)) return answer(request, reply);
        const font = fonts.get(request.url);
        return font === undefined ? undefined : reply.header('Cache-Control', 'no-cache').redirect(font);
      });
      await files.register(fastifyStatic, {
        root: built,
        cacheControl: false,
        // The build's own notes (`.vite`) name every source file.
        dotfiles: 'ignore',
        // Made by the build (`scripts/compress.mjs`); the box compresses nothing at run time.
        preCompressed: true,
        setHeaders(response, file) {
          void response.header('Cache-Control', cacheControl(path.relative(built, file)));
          if (/\.mjs(\.br|\.gz)?$/.test(file)) void response.header('Content-Type', 'text/javascript; charset=utf-8');
          if (/\.webmanifest(\.br|\.gz)?$/.test(file))
            void response.header('Content-Type', 'application/manifest+json; charset=utf-8');
        },
      });
    });
  } else {
    app.get('/*', async (request, reply) => {
      if (!wantsPage(request.url)) throw new ReefError('not-found');
      return sendPage(reply, page('The app is not built yet', notBuilt));
    });
  }
  app.setNotFoundHandler(async () => {
    throw new ReefError('not-found');
  });
}

/**
 * Serves the app's page from memory, in the smallest accepted encoding. Every visit starts with it, and the content
 * security policy hashes it at start: it must not change after that.
 */
function firstPage(folder: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const file = path.join(folder, 'index.html');
  const forms = [
    { coding: 'br', name: `${file}.br` },
    { coding: 'gzip', name: `${file}.gz` },
    { coding: null, name: file },
  ].flatMap(({ coding, name }) => {
    if (!existsSync(name)) return [];
    const bytes = readFileSync(name);
    return [{ coding, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }];
  });
  return (request, reply) => {
    const form = forms.find(({ coding }) => coding === null || acceptsEncoding(request, coding));
    if (form === undefined) throw new ReefError('not-found');
    void reply.header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding').header('ETag', form.etag);
    if (hasEtag(request, form.etag)) return reply.code(304).send();
    if (form.coding !== null) void reply.header('Content-Encoding', form.coding);
    return reply.type('text/html; charset=utf-8').send(form.bytes);
  };
}

/** Addresses of the pages' fonts in a built app, by {@link pageFontPath}: a browser stores one copy for both. */
function builtFonts(folder: string): ReadonlyMap<string, string> {
  const assets = path.join(folder, 'assets');
  const names = existsSync(assets) ? readdirSync(assets) : [];
  return new Map(
    PAGE_FONTS.flatMap((font): [string, string][] => {
      // The build's hash has eight characters.
      const name = names.find(
        (one) =>
          one.startsWith(`${font.file}-`) &&
          one.length === `${font.file}-12345678.woff2`.length &&
          one.endsWith('.woff2'),
      );
      return name === undefined ? [] : [[pageFontPath(font), `/assets/${name}`]];
    }),
  );
}

/** Hashed files never change; the page, its worker and its manifest are revalidated. */
function cacheControl(file: string): string {
  return file.split(path.sep)[0] === 'assets' ? 'public, max-age=31536000, immutable' : 'no-cache';
}
