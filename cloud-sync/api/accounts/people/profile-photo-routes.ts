import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import { idSchema } from '../../../../src/domain/ids';
import type { MeReply } from '../../../../src/protocol/cloud-auth';
import { photoSchema } from '../../../../src/protocol/accounts';
import { parseInput } from '../../../../src/server/http/parse';
import { PROFILE_PHOTO_PX } from '../../../../src/server/variants/variants';
import { requireSession } from '../sessions/require-session';
import type { CloudContext } from '../../context';
import { hasEtag } from '../../../../src/server/http/conditional';
import { uploadedBy } from '../../access/access-reads';

const NOT_A_PICTURE =
  'This file is not an image that can be shown. Your profile is unchanged. Choose a JPEG, PNG or WebP.';
const NOT_UPLOADED = 'The picture has not arrived yet. Send it first. Your profile stays as it was.';

/**
 * Profile photo routes (1§7, 2§7 `users/{uid}/profile.jpg`): a square of 256 px, re-encoded from the upload, so that no
 * camera metadata is published.
 */
export function profilePhotoRoutes(app: FastifyInstance, context: CloudContext): void {
  const { accounts, variants, blobs, database } = context;

  app.put(
    '/api/account/photo',
    { config: { rateLimit: { max: 30, timeWindow: 60_000 } } },
    async (request): Promise<MeReply> => {
      const { sha256 } = parseInput(photoSchema, request.body);
      const { person } = await requireSession(request, accounts);
      if (sha256 !== null) {
        // Knowing a hash does not make the picture theirs.
        if (!(await blobs.has(sha256)) || !(await uploadedBy(database.pool, sha256, person.uid)))
          throw new ReefError('incomplete', { field: 'sha256', message: NOT_UPLOADED });
        await variants.file(sha256, PROFILE_PHOTO_PX, 'face').catch((error: unknown) => {
          if (!(error instanceof ReefError) || (error.code !== 'unsupported-media' && error.code !== 'too-large'))
            throw error;
          throw new ReefError(error.code, { field: 'sha256', message: NOT_A_PICTURE, cause: error });
        });
      }
      await accounts.people.setPhoto(person.uid, sha256);
      accounts.callers.clearCache();
      // Removes the former photo's bytes without waiting; failures are retried later.
      void context.unusedPhotos
        .remove()
        .catch((error: unknown) =>
          context.log.warn({ err: error }, 'profile photos no longer in use are removed later'),
        );
      return { ok: true, user: await accounts.people.toCloudUser({ ...person, photo: sha256 }) };
    },
  );

  app.get<{ Params: { uid: string }; Querystring: { none?: string } }>(
    '/users/:uid/profile.jpg',
    async (request, reply) => {
      const uid = idSchema.safeParse(request.params.uid);
      const person = uid.success ? await accounts.people.byId(uid.data) : undefined;
      if (person === undefined || person.photo === null || person.disabled) {
        // Browsers log each 404 as an error; the app asks at each start, and most people have no photo.
        if (request.query.none === '204') return reply.code(204).send();
        throw new ReefError('not-found');
      }
      const etag = `"${person.photo}"`;
      reply.header('ETag', etag).header('Cache-Control', 'public, max-age=300');
      if (hasEtag(request, etag)) return reply.code(304).send();
      const file = await variants.file(person.photo, PROFILE_PHOTO_PX, 'face');
      return reply
        .type('image/jpeg')
        .header('Content-Length', (await stat(file)).size)
        .send(createReadStream(file));
    },
  );
}
