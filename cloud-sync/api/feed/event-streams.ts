import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Gauge } from 'prom-client';
import { ReefError } from '../../../src/domain/errors';
import { decideCloud } from '../../../src/domain/policy/cloud-policy';
import { networkOf } from '../accounts/sign-in/network';
import type { Caller } from '../access/caller';
import type { CloudContext } from '../context';

/** Limits of event streams. Ours: the specification has none. */
export interface StreamLimits {
  /** Streams of one person, tablet or box; beyond, the oldest ends: one was left behind by each reload. */
  readonly perCaller: number;
  readonly perNetwork: number;
  /** Interval of heartbeats, ms: proxies end connections that are silent for a minute. Each asks for the session again. */
  readonly heartbeatMs: number;
}

const STREAM_LIMITS: StreamLimits = { perCaller: 16, perNetwork: 256, heartbeatMs: 25_000 };

/** Time for the last bytes of an ended stream to leave, ms. */
const END_MS = 1000;
const RETRY_AFTER_MS = 30_000;

interface Stream {
  readonly caller: string;
  readonly network: string;
  readonly end: () => void;
}

/** Open event streams: counted, and ended with the session that they were opened with. */
export class EventStreams {
  readonly #context: Pick<CloudContext, 'callers' | 'store' | 'log'>;
  readonly #limits: StreamLimits;
  /** In the order of their opening. */
  readonly #open = new Set<Stream>();

  constructor(
    context: Pick<CloudContext, 'callers' | 'store' | 'log' | 'metrics'>,
    limits: Partial<StreamLimits> = {},
  ) {
    this.#context = context;
    this.#limits = { ...STREAM_LIMITS, ...limits };
    const open = this.#open;
    new Gauge({
      name: 'reef_cloud_event_streams',
      help: 'Event streams open now',
      registers: [context.metrics.registry],
      collect() {
        this.set(open.size);
      },
    });
  }

  /** @throws ReefError `rate-limited` {retryAfterMs} if the caller's network has its streams */
  requireRoom({ ip }: FastifyRequest): void {
    const network = networkOf(ip);
    const count = [...this.#open].filter((stream) => stream.network === network).length;
    if (count >= this.#limits.perNetwork) throw new ReefError('rate-limited', { retryAfterMs: RETRY_AFTER_MS });
  }

  /** Sends hints to an opened stream until its reader leaves, its session ends, or newer ones take its place. */
  add(request: FastifyRequest, response: ServerResponse): void {
    const send = (text: string): void => {
      // A hint that is not read yet is as good as two. A connection that nothing leaves ends by its own timeout.
      if (!response.writableNeedDrain) response.write(text);
    };
    const unsubscribe = this.#context.store.onCommit(() => send('event: changes\ndata: {}\n\n'));
    const heartbeat = setInterval(() => {
      send(': still here\n\n');
      this.#checkSession(request).then(
        (isValid) => isValid || stream.end(),
        (error: unknown) => this.#context.log.warn({ err: error }, 'a session could not be checked; its stream stays'),
      );
    }, this.#limits.heartbeatMs).unref();
    const stream: Stream = {
      caller: callerKey(request.cloudCaller),
      network: networkOf(request.ip),
      end: () => {
        unsubscribe();
        clearInterval(heartbeat);
        if (!this.#open.delete(stream)) return;
        response.end();
        // A reader that does not read would hold the connection open.
        setTimeout(() => response.destroy(), END_MS).unref();
      },
    };
    this.#open.add(stream);
    request.raw.once('close', stream.end);
    response.once('close', stream.end);
    const own = [...this.#open].filter(({ caller }) => caller === stream.caller);
    for (const one of own.slice(0, Math.max(0, own.length - this.#limits.perCaller))) one.end();
  }

  close(): void {
    for (const { end } of [...this.#open]) end();
  }

  /** True while the credential of a request still opens a stream. */
  async #checkSession(request: FastifyRequest): Promise<boolean> {
    try {
      const { roles } = await this.#context.callers.callerOf(request);
      return decideCloud('GET /api/changes/stream', roles) === 'allowed';
    } catch (error) {
      // A revoked box.
      if (error instanceof ReefError && error.code === 'forbidden') return false;
      throw error;
    }
  }
}

function callerKey({ person, deviceId, node, roles }: Caller): string {
  return person !== null || deviceId !== null || node !== null
    ? `${person ?? ''} ${deviceId ?? ''} ${node ?? ''}`
    : [...roles].sort().join(' ');
}
