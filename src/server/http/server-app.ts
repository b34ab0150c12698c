import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { securityHeaders } from './security-headers';

/** Origins that may call a server; its own are known once it listens. */
export interface ServerOrigins {
  allows(origin: string | undefined): boolean;
  setPort(port: number): void;
}

export interface ServerAppOptions {
  readonly origins: ServerOrigins;
  readonly methods: readonly string[];
  /** Response headers that pages of other origins may read, besides those of uploads and ranges. */
  readonly exposedHeaders?: readonly string[];
  readonly credentials?: boolean;
  /** Other servers that the pages talk to, as origins. */
  readonly servers: readonly string[];
  readonly appFolder: string | null;
}

const EXPOSED_HEADERS = [
  'Upload-Offset',
  'Upload-Length',
  'Upload-Complete',
  'ETag',
  'Content-Range',
  'Accept-Ranges',
  'Retry-After',
];

/** Lists the routes that are registered from now on, as `METHOD url`. */
export function recordRoutes(app: FastifyInstance): readonly string[] {
  const routes: string[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url}`);
  });
  return routes;
}

/** Registers what both servers put before their routes: CORS, security headers, rate limits. */
export async function prepareServerApp(
  app: FastifyInstance,
  { origins, methods, exposedHeaders = [], credentials = false, servers, appFolder }: ServerAppOptions,
): Promise<void> {
  await app.register(cors, {
    origin: (origin, done) => done(null, origins.allows(origin)),
    methods: [...methods],
    credentials,
    exposedHeaders: [...EXPOSED_HEADERS, ...exposedHeaders],
    maxAge: 600,
    strictPreflight: false,
  });
  await securityHeaders(app, servers, appFolder);
  await app.register(rateLimit, { global: false });
}

/** Starts to listen. Returns the address for callers on this machine. */
export async function listenAt(
  app: FastifyInstance,
  { host, port, scheme }: { readonly host: string; readonly port: number; readonly scheme: 'http' | 'https' },
  origins: ServerOrigins,
): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address() as AddressInfo;
  origins.setPort(address.port);
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${address.port}`;
}
