import type { FastifyInstance } from 'fastify';
import { ANALYSIS_LIMITS } from '../../../src/domain/limits/analysis';
import type { PlacesReply } from '../../../src/protocol/accounts';
import { placesQuerySchema } from '../../../src/protocol/accounts';
import { parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import { searchGazetteer } from './gazetteer';
import { askGeocoder } from './geocoder';

/** Route `GET /api/places?q=` (2§5): places from the configured geocoder, else from the built-in gazetteer. */
export function placeRoutes(app: FastifyInstance, { settings, log }: CloudContext): void {
  app.get('/api/places', { config: { rateLimit: { max: 120, timeWindow: 60_000 } } }, async (request, reply) => {
    const q = parseInput(placesQuerySchema, { ...(request.query as object) }, 'params').q.trim();
    const places =
      q.length < ANALYSIS_LIMITS.geocodingCharactersMin
        ? []
        : settings.geocoder === null
          ? searchGazetteer(q)
          : await askGeocoder(settings.geocoder, q, log);
    const answer: PlacesReply = { ok: true, places };
    return reply.header('Cache-Control', 'private, max-age=3600').send(answer);
  });
}
