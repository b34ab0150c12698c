import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import { BUNDLE, recipientSchema } from '../../src/protocol/bundle';
import { parseForm } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';
import { sealBundle } from './seal-bundle';
import { planExport } from './export-plan';
import { slugOf } from '../sign-in/origins';

const whole = z
  .string()
  .regex(/^[0-9]{1,16}$/, 'must be a whole number')
  .transform(Number);
const querySchema = z.object({
  since: whole.default(0),
  all: z.enum(['0', '1', '']).default('0'),
  /** Overrides the cloud's key on the box. */
  key: recipientSchema.optional(),
});

/** `GET /edge/export?since=`: unreceipted operations as a sealed bundle (protocol, "Sealed bundle"). */
export function exportRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.get('/edge/export', async (request, reply) => {
    const { since, all, key } = parseForm(querySchema, request.query, 'query');
    const recipient = key ?? context.reference.sealKey();
    if (recipient === undefined) throw noSealKey();
    const { store, blobs, bundleKey, clock, log, settings, version } = context;
    const source = {
      database: context.record.database,
      identity: store.identity,
      name: settings.name,
      version,
      people: context.people.people(),
      blobBytes: (sha256: string) => blobs.size(sha256),
    };
    // The export reads what it lists, perhaps an hour later.
    const release = context.freeing.pause();
    reply.raw.once('close', release);
    const plan = await planExport(source, { since, all: all === '1', maxBytes: Infinity, now: clock() });
    if (plan.seqs.length === 0) throw nothingOwed();
    const bundle = await sealBundle({
      source,
      plan,
      readBlob: (sha256) => blobs.read(sha256),
      onBroken: (sha256) => {
        context.record.blobs.quarantine(sha256);
        log.error({ sha256 }, 'a photograph on the disk is broken; it is left out of the next export');
      },
      signer: bundleKey,
      recipient,
    });
    const stream = Readable.from(bundle.stream, { objectMode: false, highWaterMark: 1024 * 1024 });
    stream.on('error', (error) => log.error({ err: error }, 'an export was not finished'));
    return reply
      .type(BUNDLE.media)
      .header('Content-Length', bundle.bytes)
      .header('Cache-Control', 'no-store')
      .header('Content-Disposition', `attachment; filename="${bundleName(settings.name, plan.manifest)}"`)
      .send(stream);
  });
}

/** File name of a bundle: the box and the range of its feed. */
export function bundleName(
  box: string,
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq: number },
): string {
  return `${slugOf(box)}-${fromSeq + 1}-${toSeq}${BUNDLE.ending}`;
}

export function noSealKey(): ReefError {
  return new ReefError('not-found', {
    field: 'key',
    message:
      'The box does not have the cloud’s key for sealing yet. The bridge delivers it at the first link; or pass it by hand, as the fleet console shows it (it begins with age1).',
  });
}

export function nothingOwed(): ReefError {
  return new ReefError('not-found', {
    field: 'since',
    message: 'Everything here has the cloud’s receipt: there is nothing to carry ashore.',
  });
}
