import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { PAGE_STYLE_SOURCE } from './routes/page';
import type { EdgeSettings } from './settings';

/** What a page of this box may load: its own files, and talk to the servers it may be paired with. */
export async function securityHeaders(app: FastifyInstance, settings: EdgeSettings): Promise<void> {
  const others = [...settings.allowedOrigins, ...[settings.publicUrl, settings.edgeUrl, settings.cloudUrl].flatMap((url) => (url === null ? [] : [url.origin]))];
  const sockets = others.map((origin) => origin.replace(/^http/, 'ws'));
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        workerSrc: ["'self'", 'blob:'],
        styleSrc: ["'self'", PAGE_STYLE_SOURCE],
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
    referrerPolicy: { policy: 'same-origin' },
  });
}
