import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { pageHashes } from './page-hashes';
import { PAGE_STYLE_SOURCE } from '../pages/page-style';

const YEAR_S = 31_536_000;

/**
 * Sets the security headers. They never vary, so they are computed once: per request the plugin would cost more than
 * serving a tile.
 *
 * @param servers other servers that the pages talk to, as origins
 * @param appFolder of the built app, whose page has an inline style and script; null if it is not built
 * @param isHttpsLasting true if the server's public address is https for good: browsers then refuse plain http for a
 * year. Never at a box, which must not be locked out for a year by a new certificate
 */
export async function securityHeaders(
  app: FastifyInstance,
  servers: readonly string[],
  appFolder: string | null,
  isHttpsLasting: boolean,
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
    // Other hosts below its name are not the census's.
    strictTransportSecurity: isHttpsLasting && { maxAge: YEAR_S, includeSubDomains: false },
    crossOriginEmbedderPolicy: false,
    // A separate browsing context group costs a new process (6 ms here); no page of a box opens others or is framed.
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
