import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { pageHashes } from './page-hashes';
import { PAGE_STYLE_SOURCE } from '../pages/page-style';

/**
 * What a page of this server may load: its own files, and talk to the servers it may be paired with. The headers are the same for
 * every answer, so they are put together once: the plugin would do it for each request, which cost more than serving a tile.
 *
 * @param servers the others that its pages talk to, as origins
 * @param appFolder of the built app, whose page carries a style and a script in itself; null where it is not built
 */
export async function securityHeaders(
  app: FastifyInstance,
  servers: readonly string[],
  appFolder: string | null,
): Promise<void> {
  const { scripts, styles } = pageHashes(appFolder);
  const sockets = servers.map((origin) => origin.replace(/^http/, 'ws'));
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scripts],
        workerSrc: ["'self'", 'blob:'],
        styleSrc: ["'self'", PAGE_STYLE_SOURCE, ...styles],
        imgSrc: ["'self'", 'blob:', ...servers],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", 'blob:', ...new Set([...servers, ...sockets])],
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
    fixed = reply.raw
      .getHeaderNames()
      .flatMap((name) => (before.has(name) ? [] : [[name, String(reply.raw.getHeader(name))] as const]));
  });
}
