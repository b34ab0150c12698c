import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { pageHashes } from './page-hashes';
import { PAGE_STYLE_SOURCE } from './routes/page';
import type { EdgeSettings } from './settings';

/**
 * What a page of this box may load: its own files, and talk to the servers it may be paired with. The headers are the same for
 * every answer, so they are put together once: the plugin would do it for each request, which cost more than serving a tile.
 *
 * @param appFolder of the built app, whose page carries a style and a script in itself; null where it is not built
 */
export async function securityHeaders(app: FastifyInstance, settings: EdgeSettings, appFolder: string | null): Promise<void> {
  const { scripts, styles } = pageHashes(appFolder);
  const others = [...settings.allowedOrigins, ...[settings.publicUrl, settings.edgeUrl, settings.cloudUrl].flatMap((url) => (url === null ? [] : [url.origin]))];
  const sockets = others.map((origin) => origin.replace(/^http/, 'ws'));
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scripts],
        workerSrc: ["'self'", 'blob:'],
        styleSrc: ["'self'", PAGE_STYLE_SOURCE, ...styles],
        imgSrc: ["'self'", 'blob:', ...others],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", 'blob:', ...new Set([...others, ...sockets])],
        manifestSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // A box whose certificate was made anew must not be locked out for a year.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
    // A group of windows of its own costs a new process before anything shows (6 ms here); no page of a box opens others or is framed.
    crossOriginOpenerPolicy: false,
    referrerPolicy: { policy: 'same-origin' },
  });
  let fixed: readonly (readonly [string, string])[] | undefined;
  app.addHook('onRequest', async (_request, reply) => {
    if (fixed !== undefined) {
      for (const [name, value] of fixed) reply.raw.setHeader(name, value);
      return;
    }
    const before = new Set(reply.raw.getHeaderNames());
    await reply.helmet();
    fixed = reply.raw.getHeaderNames().flatMap((name) => (before.has(name) ? [] : [[name, String(reply.raw.getHeader(name))] as const]));
  });
}
