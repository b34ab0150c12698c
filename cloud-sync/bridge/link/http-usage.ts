import { z } from 'zod';
import type { UsageEvent } from '../../../src/protocol/cloud-http';
import { usageEventSchema } from '../../../src/protocol/cloud-http';
import type { WaitingUsage } from '../../../src/protocol/edge-http';
import { nullIfNotFound, parseReply } from './http-edge';
import type { HttpLink } from './http-link';
import type { UsageApi } from './node-apis';

const waitingSchema = z.looseObject({ events: z.array(z.object({ n: z.int().min(0), event: usageEventSchema })) });

export class HttpUsage implements UsageApi {
  readonly #edge: HttpLink;
  readonly #cloud: HttpLink;

  constructor(edge: HttpLink, cloud: HttpLink) {
    this.#edge = edge;
    this.#cloud = cloud;
  }

  async waiting(signal?: AbortSignal): Promise<WaitingUsage['events']> {
    const answer = await nullIfNotFound(this.#edge.json({ method: 'GET', path: '/edge/analytics', signal }));
    return answer === null ? [] : parseReply<WaitingUsage>(waitingSchema, answer).events;
  }

  async send(events: readonly UsageEvent[], signal?: AbortSignal): Promise<void> {
    await this.#cloud.json({ method: 'POST', path: '/api/analytics', json: { events }, signal });
  }

  async markSent(n: number, signal?: AbortSignal): Promise<void> {
    await this.#edge.json({ method: 'POST', path: '/edge/analytics/sent', json: { n }, signal });
  }
}
