import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import fastify from 'fastify';
import type { Logger } from 'pino';
import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import { toReefError } from './errors';

/**
 * A Fastify app as both servers want it: every refusal is one of the catalogue, no line for each request, and no end to a
 * connection that still moves.
 *
 * @param tls its certificate and key in PEM; null for plain http
 * @param proxied whether something on this machine may stand in front of it and say who calls: without that all callers would
 *   have one address, and share the few calls a minute that an address has
 */
export function createHttpApp(
  tls: { readonly cert: string; readonly key: string } | null,
  proxied = false,
): FastifyInstance {
  const options = {
    ...(proxied ? { trustProxy: 'loopback' } : {}),
    // What is worth a line is logged here by name; a line for each request would drown it.
    logger: false as const,
    bodyLimit: LIMITS.messageBytesMax,
    forceCloseConnections: true,
    // An idle connection ends; one that still moves, however slowly, does not: a photograph may take minutes.
    connectionTimeout: 120_000,
    requestTimeout: 0,
    routerOptions: { maxParamLength: 256 },
    // Each record is judged by itself (`checkJson`): one with a key that Fastify refuses must not spoil all that came with it.
    onProtoPoisoning: 'ignore' as const,
    onConstructorPoisoning: 'ignore' as const,
    clientErrorHandler: rejectConnection,
    // What Fastify finds before any route, such as an address that is no address.
    frameworkErrors: (thrown: unknown, _request: unknown, reply: FastifyReply) => sendError(reply, toReefError(thrown)),
  };
  // The types of an HTTPS server differ in the server alone, which nothing here looks at.
  return tls === null
    ? (fastify(options) as unknown as FastifyInstance)
    : (fastify({ ...options, https: { cert: tls.cert, key: tls.key } }) as unknown as FastifyInstance);
}

/** What is no HTTP, or has a head too long, gets its error and the connection ends. */
function rejectConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
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

/** The HTTP status of what is away for a while. */
const UNAVAILABLE_STATUS = 503;

/** What {@link handleErrors} tells of. */
export interface ErrorHandlerHooks {
  readonly log: Logger;
  /** Told of each answer: method, route as registered, status. */
  readonly onAnswered: (method: string, route: string, status: number) => void;
  /** Names what a server knows beyond {@link toReefError}; undefined for what it does not know either. */
  readonly mapError?: (thrown: unknown) => ReefError | undefined;
}

/** What is away for a while (a database) fails every request until it is back: a word for each, and no stack. */
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

/** Every error leaves as one of the catalogue: `{ok: false, error}` with its status. Before the routes: they keep what stood when they were made. */
export function handleErrors(app: FastifyInstance, { log, onAnswered, mapError }: ErrorHandlerHooks): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = mapError?.(thrown) ?? toReefError(thrown);
    if (error.code === 'internal')
      logFailure(log, error, thrown, { method: request.method, route: request.routeOptions.url });
    if (reply.raw.headersSent) return reply.raw.destroy();
    const { retryAfterMs } = error.details;
    if (typeof retryAfterMs === 'number') reply.header('Retry-After', Math.ceil(retryAfterMs / 1000));
    return sendError(reply, error);
  });
  app.addHook('onResponse', async (request, reply) =>
    onAnswered(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode),
  );
  app.addHook('preParsing', async (request) => {
    if (request.headers['content-encoding'] !== undefined)
      throw new ReefError('bad-message', {
        field: 'Content-Encoding',
        message: 'The body must come as it is, not compressed.',
      });
  });
}
