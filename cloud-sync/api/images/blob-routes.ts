import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import { sha256Schema } from '../../../src/domain/ids';
import type { HaveReply } from '../../../src/protocol/cloud-http';
import { haveSchema } from '../../../src/protocol/cloud-http';
import { parseInput } from '../../../src/server/http/parse';
import { sendBlob } from '../../../src/server/http/send-blob';
import { isRevokedTablet } from '../access/caller';
import type { CloudContext } from '../context';

/** Concurrent store lookups; each is a request if there is a bucket. */
const CONCURRENCY = 16;

/**
 * Routes `GET` and `HEAD /api/blobs/<sha256>`: bytes of photographs, one range at a time; `POST /api/have`: hashes
 * whose bytes or previews are missing.
 */
export function blobRoutes(app: FastifyInstance, context: CloudContext): void {
  app.get<{ Params: { sha256: string } }>('/api/blobs/:sha256', async (request, reply) => {
    const { sha256 } = request.params;
    // The answer is the same as for bytes that are not stored.
    if (sha256Schema.safeParse(sha256).success && !(await context.blobAccess.canRead(sha256, request.cloudCaller)))
      throw new ReefError('not-found');
    return sendBlob(request, reply, context.blobs, sha256);
  });

  app.post('/api/have', async (request): Promise<HaveReply> => {
    const { sha256: hashes, of } = parseInput(haveSchema, request.body);
    const asked = [...new Set(hashes)];
    const ended = isRevokedTablet(request.cloudCaller) ? ({ ended: 'revoked' } as const) : {};
    if (of === 'previews') return { ok: true, missing: await context.previews.missing(asked), ...ended };
    const missing: string[] = [];
    for (let from = 0; from < asked.length; from += CONCURRENCY) {
      const some = asked.slice(from, from + CONCURRENCY);
      const here = await Promise.all(some.map((sha256) => context.blobs.has(sha256)));
      missing.push(...some.filter((_, index) => here[index] !== true));
    }
    return { ok: true, missing, ...ended };
  });
}
