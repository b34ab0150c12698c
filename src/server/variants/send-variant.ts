import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReefError } from '../../domain/errors';
import type { AppendStore } from '../ops/append-store';
import type { BlobStore } from '../blobs/blob-store';
import type { ImageLinks } from './image-links';
import type { VariantKind, VariantSize, Variants } from './variants';
import { hasEtag } from '../http/conditional';
import { VARIANT_SIZES } from './variants';
import { PICTURE_SIZE_HEADER } from '../../protocol/edge-http';

interface VariantSources {
  readonly imageLinks: ImageLinks;
  readonly store: AppendStore;
  readonly blobs: BlobStore;
  readonly variants: Variants;
}

export interface VariantAddress {
  readonly size: string;
  readonly token: string;
  readonly url: string;
}

/**
 * Answers `GET /cache/<size>/<token>/<url>`: photograph of a known record at 800, 2000 or 4000 px.
 *
 * @throws ReefError `not-found`; the errors of {@link Variants.file}
 */
export async function sendVariant(
  request: FastifyRequest,
  reply: FastifyReply,
  address: VariantAddress,
  { imageLinks, store, blobs, variants }: VariantSources,
): Promise<FastifyReply> {
  const size = VARIANT_SIZES.find((known) => String(known) === address.size);
  const linked = imageLinks.resolve(address);
  if (size === undefined || linked === undefined) throw new ReefError('not-found');
  const look = linked.isCorrected ? 'corrected' : 'plain';
  const { sha256, made } = await pickSource(linked.imageId, size, look, { store, blobs, variants });
  const etag = `"${sha256.slice(0, 32)}-${made?.size ?? size}${linked.isCorrected ? 'c' : ''}"`;
  // Any page that knows the address may show the picture.
  reply
    .header('ETag', etag)
    .header(PICTURE_SIZE_HEADER, String(made?.size ?? size))
    .header('Cache-Control', 'private, max-age=86400')
    .header('Cross-Origin-Resource-Policy', 'cross-origin');
  if (hasEtag(request, etag)) return reply.code(304).send();
  const file = made?.file ?? (await variants.file(sha256, size, look));
  return reply
    .type('image/webp')
    .header('Content-Length', (await stat(file)).size)
    .send(createReadStream(file));
}

/** Picks the bytes that the record names; else any recorded for the image; else an existing variant. */
async function pickSource(
  imageId: string,
  size: VariantSize,
  look: VariantKind,
  { store, blobs, variants }: Omit<VariantSources, 'imageLinks'>,
): Promise<{ readonly sha256: string; readonly made?: { readonly file: string; readonly size: VariantSize } }> {
  const stored = await store.document('image', imageId);
  if (stored === undefined || stored.folded.deleted) throw new ReefError('not-found');
  const recorded = await store.recordedBlobs(imageId);
  const named = stored.folded.doc['sha256'];
  const hashes = [...recorded]
    .sort((a, b) => Number(b.sha256 === named) - Number(a.sha256 === named))
    .map(({ sha256 }) => sha256);
  for (const sha256 of hashes) if (await blobs.has(sha256)) return { sha256 };
  for (const sha256 of hashes) {
    const made = await variants.findExisting(sha256, size, look);
    if (made !== undefined) return { sha256, made };
  }
  throw new ReefError('not-found', { message: 'The bytes of this photograph are not here.' });
}
