import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import type { Logger } from 'pino';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import type { ConnectionLimits } from './connection-limits';
import { CONNECTION_LIMITS, STRANGER_BODY_MAX, SlowBodies, headLimits, limitConnections } from './connection-limits';
import { toReefError } from './errors';

declare module 'fastify' {
  interface FastifyInstance {
    slowBodies: SlowBodies;
  }
}

interface HttpAppOptions {
  /**
   * True if a proxy on this machine may name the caller: otherwise all callers would share one address and its limits.
   */
  readonly proxied?: boolean;
  /** Overrides for tests. */
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/** Time for a refusal to leave before its connection is destroyed, ms. */
const REFUSAL_MS = 1000;

/**
 * Creates a Fastify app: errors from the catalogue, no log line per request, and a connection lasts while it makes
 * progress ({@link ConnectionLimits}).
 *
 * @param tls certificate and key in PEM; null for plain http
 */
export function createHttpApp(
  tls: { readonly cert: string; readonly key: string } | null,
  { proxied = false, limits: overrides = {} }: HttpAppOptions = {},
): FastifyInstance {
  const limits = { ...CONNECTION_LIMITS, ...overrides };
  const options = {
    ...(proxied ? { trustProxy: 'loopback' } : {}),
    logger: false as const,
    bodyLimit: LIMITS.messageBytesMax,
    forceCloseConnections: true,
    // Ends idle connections only: a photograph may take minutes.
    connectionTimeout: 120_000,
    requestTimeout: 0,
    routerOptions: { maxParamLength: 256 },
    // Each record is checked on its own (`checkJson`): one forbidden key must not spoil the others.
    onProtoPoisoning: 'ignore' as const,
    onConstructorPoisoning: 'ignore' as const,
    clientErrorHandler: rejectConnection,
    // Errors that Fastify finds before any route, such as an invalid address.
    frameworkErrors: (thrown: unknown, _request: unknown, reply: FastifyReply) => sendError(reply, toReefError(thrown)),
  };
  const heads = headLimits(limits);
  // The types of an HTTPS server differ only in the server, which nothing here uses.
  const app =
    tls === null
      ? (fastify({ ...options, http: heads }) as unknown as FastifyInstance)
      : (fastify({
          ...options,
          https: { cert: tls.cert, key: tls.key, handshakeTimeout: limits.headMs, ...heads },
        }) as unknown as FastifyInstance);
  limitConnections(app.server, limits, proxied);
  app.decorate('slowBodies', new SlowBodies(app.server, limits));
  return app;
}

/**
 * Limits the bodies of callers without credentials: {@link STRANGER_BODY_MAX} on routes that are open to anyone, and the
 * short time. Register after the hook that finds the caller and before the routes.
 */
export function limitStrangers(
  app: FastifyInstance,
  {
    isOpen,
    isStranger,
  }: {
    readonly isOpen: (method: string, url: string) => boolean;
    readonly isStranger: (request: FastifyRequest) => boolean;
  },
): void {
  app.addHook('onRoute', (route) => {
    if (route.bodyLimit === undefined && [route.method].flat().every((method) => isOpen(method, route.url)))
      route.bodyLimit = STRANGER_BODY_MAX;
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (isStranger(request)) app.slowBodies.hurry(request.raw);
    done(null, payload);
  });
}

/** Errors of connections that sent no request in time: a browser would take an answer for that of its next one. */
const UNANSWERED: ReadonlySet<string | undefined> = new Set([
  'ECONNRESET',
  'ERR_HTTP_REQUEST_TIMEOUT',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
]);

/** Answers invalid HTTP, or a head that is too long, and destroys the connection. */
function rejectConnection(error: Error & { code?: string }, socket: Socket): void {
  if (UNANSWERED.has(error.code) || !socket.writable) {
    socket.destroy();
    return;
  }
  // The other end may never close, or never read.
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
  const refusal = new ReefError(error.code === 'HPE_HEADER_OVERFLOW' ? 'too-large' : 'bad-message');
  const body = JSON.stringify({ ok: false, error: refusal.toWire() });
  const reason = refusal.status === 413 ? 'Content Too Large' : 'Bad Request';
  socket.end(
    `HTTP/1.1 ${refusal.status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function sendError(reply: FastifyReply, error: ReefError): FastifyReply {
  return reply
    .code(error.status)
    .removeHeader('Content-Length')
    .type('application/json; charset=utf-8')
    .send({ ok: false, error: error.toWire() });
}

/** HTTP status of a service that is temporarily unavailable. */
const UNAVAILABLE_STATUS = 503;

interface ErrorHandlerHooks {
  readonly log: Logger;
  /** Called after each response: method, route as registered, status. */
  readonly onAnswered: (method: string, route: string, status: number) => void;
  /** Called with each error before it is sent. */
  readonly onError?: (request: FastifyRequest, error: ReefError) => void;
  /** Maps a server's own errors beyond {@link toReefError}; undefined for unknown ones. */
  readonly mapError?: (thrown: unknown) => ReefError | undefined;
}

/** Logs a failure. An unavailable database fails every request: one line each, without a stack. */
function logFailure(
  log: Logger,
  error: ReefError,
  thrown: unknown,
  request: { readonly method: string; readonly route: string | undefined },
): void {
  if (error.status === UNAVAILABLE_STATUS)
    log.warn({ reason: thrown instanceof Error ? thrown.message : String(thrown), ...request }, 'a request must wait');
  else log.error({ err: thrown, ...request }, 'a request failed');
}

/**
 * Sends every error as one of the catalogue: `{ok: false, error}` with its status. Register before the routes: they use
 * the handler that exists at their creation.
 */
export function handleErrors(app: FastifyInstance, { log, onAnswered, onError, mapError }: ErrorHandlerHooks): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = mapError?.(thrown) ?? toReefError(thrown);
    if (error.code === 'internal')
      logFailure(log, error, thrown, { method: request.method, route: request.routeOptions.url });
    onError?.(request, error);
    if (reply.raw.headersSent) return reply.raw.destroy();
    const { retryAfterMs } = error.details;
    if (typeof retryAfterMs === 'number') reply.header('Retry-After', Math.ceil(retryAfterMs / 1000));
    return sendError(reply, error);
  });
  app.addHook('onResponse', (request, reply, done) => {
    onAnswered(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode);
    done();
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (request.headers['content-encoding'] === undefined) return done(null, payload);
    done(
      new ReefError('bad-message', {
        field: 'Content-Encoding',
        message: 'The body must come as it is, not compressed.',
      }),
    );
  });
}
