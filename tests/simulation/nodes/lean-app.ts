import type { FastifyInstance } from 'fastify';
import { toReefError } from '../../../src/server/http/errors';

/** Request to a route of the lean app. */
export interface LeanRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly [member: string]: unknown;
}

export interface LeanAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

type Handler = (request: unknown, reply: unknown) => unknown;

/** Runs production's Fastify route handlers unchanged, without a network. */
export class LeanApp {
  readonly #handlers = new Map<string, Handler>();

  /** App for the code that registers routes. */
  get app(): FastifyInstance {
    const add =
      (method: string) =>
      (url: string, ...rest: unknown[]) =>
        this.#handlers.set(`${method} ${url}`, rest.at(-1) as Handler);
    const methods = Object.fromEntries(
      ['get', 'post', 'put', 'patch', 'head', 'delete'].map((name) => [name, add(name.toUpperCase())]),
    );
    return {
      ...methods,
      addHook: () => undefined,
      decorateRequest: () => undefined,
      register: async () => undefined,
    } as unknown as FastifyInstance;
  }

  /** @param route as it was registered, such as `POST /edge/ops` */
  async ask(route: string, request: LeanRequest): Promise<LeanAnswer> {
    const handler = this.#handlers.get(route);
    if (handler === undefined)
      return {
        status: 404,
        headers: new Map(),
        body: { ok: false, error: { code: 'not-found', message: route, retryable: false } },
      };
    const headers = new Map<string, string>();
    let status = 200;
    let sent: { readonly body: unknown } | undefined;
    const reply = {
      type: () => reply,
      header: (name: string, value: unknown) => {
        headers.set(name.toLowerCase(), String(value));
        return reply;
      },
      headers: (all: Readonly<Record<string, unknown>>) => {
        for (const [name, value] of Object.entries(all)) headers.set(name.toLowerCase(), String(value));
        return reply;
      },
      code: (code: number) => {
        status = code;
        return reply;
      },
      status: (code: number) => reply.code(code),
      send: (body?: unknown) => {
        sent = { body };
        return reply;
      },
    };
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined };
    try {
      const given = await handler({ params: {}, query: {}, headers: {}, log, ...request }, reply);
      return { status, headers, body: sent === undefined ? given : sent.body };
    } catch (thrown) {
      const error = toReefError(thrown);
      return { status: error.status, headers, body: { ok: false, error: error.toWire() } };
    }
  }
}
