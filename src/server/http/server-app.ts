import type { AddressInfo } from 'node:net';
import cors from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Disk } from '../files/disk';
import type { Probe } from '../ops/probe';
import { exitOnWriteFailure } from '../process/process-lifecycle';
import type { ConnectionLimits } from './connection-limits';
import { securityHeaders } from './security-headers';
import { PICTURE_SIZE_HEADER } from '../../protocol/edge-http';

/** Origins that may call a server; its own are known once it listens. */
interface ServerOrigins {
  allows(origin: string | undefined): boolean;
  setPort(port: number): void;
}

interface ServerAppOptions {
  readonly origins: ServerOrigins;
  readonly methods: readonly string[];
  /** Other servers that the pages talk to, as origins. */
  readonly servers: readonly string[];
  readonly appFolder: string | null;
  /** True if the server's public address is https for good. */
  readonly isHttpsLasting?: boolean;
}

const EXPOSED_HEADERS = [
  'Upload-Offset',
  'Upload-Length',
  'Upload-Complete',
  'ETag',
  PICTURE_SIZE_HEADER,
  'Content-Range',
  'Accept-Ranges',
  'Retry-After',
];

/** Overrides for tests; production sets only `onFatal` and `appFolder`. */
export interface ServerHooks {
  /** Ms since 1970. */
  readonly clock?: () => number;
  readonly probe?: Probe;
  readonly disk?: Disk;
  readonly log?: Logger;
  /** Folder of the built app; null: not built. */
  readonly appFolder?: string | null;
  readonly version?: string;
  /** Limits of connections. */
  readonly limits?: Partial<ConnectionLimits>;
  /**
   * Called after a failed write or fsync: the process must exit and recover at its next start. By default
   * {@link exitOnWriteFailure}.
   */
  readonly onFatal?: (error: Error) => void;
}

/** Server that is built and does not listen yet. */
export interface BuiltServer<Context> {
  readonly app: FastifyInstance;
  readonly context: Context;
  /** Registered routes, as `METHOD url`. */
  readonly routes: readonly string[];
  /** Starts to listen; returns the address for callers on this machine. */
  listen(): Promise<string>;
  /** Ends all connections, waits for running work and closes the stores. */
  close(): Promise<void>;
}

/** Values of the hooks that both servers need at once. */
export function serverBasics(
  name: string,
  hooks: ServerHooks,
): { readonly clock: () => number; readonly log: Logger; readonly onFatal: (error: Error) => void } {
  const log = hooks.log ?? pino({ name });
  return { clock: hooks.clock ?? Date.now, log, onFatal: hooks.onFatal ?? exitOnWriteFailure(log) };
}

/** Origins of other servers that a server's pages may call. */
export function otherServers(allowedOrigins: readonly string[], urls: readonly (URL | null)[]): string[] {
  return [...allowedOrigins, ...urls.flatMap((url) => (url === null ? [] : [url.origin]))];
}

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
  { origins, methods, servers, appFolder, isHttpsLasting = false }: ServerAppOptions,
): Promise<void> {
  await app.register(cors, {
    origin: (origin, done) => done(null, origins.allows(origin)),
    methods: [...methods],
    // Pages of other origins have bearer tokens; the cookies of a console are for its own pages alone.
    credentials: false,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
  await securityHeaders(app, servers, appFolder, isHttpsLasting);
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
