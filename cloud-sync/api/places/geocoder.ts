import type { Logger } from 'pino';
import { z } from 'zod';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { Place } from '../../../src/protocol/accounts';

/** Timeout: a person is typing, so a later answer is useless. */
const TIMEOUT_MS = 5000;
const ANSWER_BYTES_MAX = 1_000_000;

export interface GeocoderSettings {
  readonly url: URL;
  readonly token: string | null;
}

const featureSchema = z.looseObject({
  id: z.union([z.string().max(200), z.number()]),
  text: z.string().max(300),
  place_name: z.string().max(500),
  geometry: z.looseObject({
    coordinates: z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)]).rest(z.unknown()),
  }),
  context: z
    .array(z.looseObject({ id: z.string(), text: z.string() }))
    .optional()
    .catch(undefined),
});
const answerSchema = z.looseObject({ features: z.array(z.unknown()) });

/**
 * Calls the configured geocoder (2§7 "Geocoding search"): "query in the path, params limit 5, types place and a public
 * access token". "Failures give an empty list"; they are logged without the query.
 */
export async function askGeocoder(
  { url, token }: GeocoderSettings,
  query: string,
  log: Pick<Logger, 'warn'>,
): Promise<Place[]> {
  try {
    const answer = await fetch(searchUrl(url, token, query), {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
      headers: { accept: 'application/json' },
    });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return answerSchema
      .parse(JSON.parse(await textOf(answer)))
      .features.flatMap(placeOf)
      .slice(0, ANALYSIS_LIMITS.geocodingResults);
  } catch (error) {
    log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'the geocoder returned no places');
    return [];
  }
}

/** Removes semicolons, which would make it a batch of searches. */
function searchUrl(url: URL, token: string | null, query: string): URL {
  const address = new URL(
    `${url.href.replace(/\/+$/, '')}/geocoding/v5/mapbox.places/${encodeURIComponent(query.replace(/[;/\\]/g, ' ').replace(/^\.+/, ''))}.json`,
  );
  address.searchParams.set('limit', String(ANALYSIS_LIMITS.geocodingResults));
  address.searchParams.set('types', 'place');
  if (token !== null) address.searchParams.set('access_token', token);
  return address;
}

async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function placeOf(feature: unknown): Place[] {
  const parsed = featureSchema.safeParse(feature);
  if (!parsed.success) return [];
  const { id, text, place_name: value, geometry, context } = parsed.data;
  const [lng, lat] = geometry.coordinates;
  const country = context?.find((one) => one.id.startsWith('country'))?.text ?? value.split(',').at(-1)?.trim() ?? '';
  return [{ id: String(id), value, name: text, country, _geoloc: { lat, lng } }];
}
