import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastify, { type FastifyInstance } from 'fastify';
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
  const options: FastifyHelmetOptions = {
    global: true,
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
  };
  const fixed = await headersOf(async (plain) => plain.register(helmet, options));
  // With a callback: the promise of each hook and request would cost more than what the hook does.
  app.addHook('onRequest', (_request, reply, done) => {
    for (const [name, value] of fixed) reply.raw.setHeader(name, value);
    done();
  });
}

/** Headers that a plugin adds to an answer: those of a server with it, less those of one without. */
async function headersOf(plugin: (app: FastifyInstance) => Promise<unknown>): Promise<readonly [string, string][]> {
  const [plain, covered] = [fastify(), fastify()];
  await plugin(covered);
  const [before, after] = await Promise.all([plain, covered].map(async (app) => (await app.inject('/')).headers));
  await Promise.all([plain.close(), covered.close()]);
  return Object.entries(after ?? {}).flatMap(([name, value]) =>
    value === undefined || (before !== undefined && name in before) ? [] : [[name, String(value)] as [string, string]],
  );
}
