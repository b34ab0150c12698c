import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { idSchema } from '../../../src/domain/ids';
import type { WantedOutlines, WantedOutlinesReply } from '../../../src/protocol/edge-http';
import { ML_REQUEST_PATH } from '../../../src/protocol/outlines';
import { nullIfNotFound, parseReply } from './http-edge';
import type { HttpLink } from './http-link';
import type { OutlineApi } from './node-apis';

const wantedSchema = z.looseObject({
  wanted: z.array(
    z.looseObject({
      surveyId: idSchema,
      imageId: idSchema,
      polygonThreshold: z.number(),
      maxPolygonThreshold: z.number(),
    }),
  ),
  next: idSchema.nullable(),
});

export class HttpOutlines implements OutlineApi {
  readonly #edge: HttpLink;
  readonly #cloud: HttpLink;

  constructor(edge: HttpLink, cloud: HttpLink) {
    this.#edge = edge;
    this.#cloud = cloud;
  }

  async wanted(after: string | null, signal?: AbortSignal): Promise<WantedOutlinesReply | null> {
    const path = `/edge/outlines${after === null ? '' : `?after=${after}`}`;
    const answer = await nullIfNotFound(this.#edge.json({ method: 'GET', path, signal }));
    return answer === null ? null : parseReply<WantedOutlinesReply>(wantedSchema, answer);
  }

  async fetch(
    { surveyId, imageId, polygonThreshold, maxPolygonThreshold }: WantedOutlines,
    signal?: AbortSignal,
  ): Promise<{ readonly collection: unknown; readonly bytes: number } | null> {
    const query = new URLSearchParams({
      surveyId,
      imageId,
      polygonThreshold: String(polygonThreshold),
      maxPolygonThreshold: String(maxPolygonThreshold),
    });
    const asked = {
      method: 'GET',
      path: `${ML_REQUEST_PATH}?${query}`,
      headers: { 'Accept-Encoding': 'gzip' },
      signal,
    } as const;
    const answer = await nullIfNotFound(this.#cloud.ask(asked));
    return answer === null ? null : { collection: parseJson(answer.body), bytes: answer.bytes };
  }

  async store({ imageId, polygonThreshold }: WantedOutlines, collection: unknown, signal?: AbortSignal): Promise<void> {
    const path = `/edge/outlines/${imageId}?polygonThreshold=${polygonThreshold}`;
    await this.#edge.json({ method: 'PUT', path, json: collection, signal });
  }
}

/** @throws ReefError `bad-message`: the next photograph may have better ones */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ReefError('bad-message', { cause });
  }
}
