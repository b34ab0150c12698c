import { z } from 'zod';
import type { ImageId, PersonId, Sha256, SurveyId } from '../ids';
import { sha256Schema } from '../ids';
import type { JsonObject } from '../json';
import type { RecordDefinition } from '../record';
import type { Quality } from './quality';
import { qualitySchema } from './quality';

/** Source of a photograph's position: its EXIF, the tablet, the vessel's fix, manual entry, or the dive's own. */
type PositionSource = 'exif' | 'device' | 'vessel' | 'person' | 'dive';

/** Reason that a photograph has no preview. It is still evidence, stored and sent unchanged. */
export type NoPreviewReason = 'format' | 'truncated' | 'pixels' | 'failed';

export const imagePositionSchema = z.looseObject({
  /** Degrees. */
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  /** Metres above the sea; negative below. */
  altitude: z.number().optional(),
  /** Metres. */
  accuracy: z.number().optional(),
  source: z.string().optional(),
});
export type ImagePosition = z.infer<typeof imagePositionSchema>;

/** Size variant in the image cache: `cache/{size}/{token}/{url}` (2§7). */
const imageUrlSchema = z.looseObject({ token: z.string(), url: z.string() });

/**
 * Image record (1§3, 3§3). Only the id is required, as a document's first write may not have arrived. `token`, `url`,
 * `color_corrected`, `ml`, `seed` and the analysis counts are server-owned. Unknown fields are retained.
 */
export const imageSchema = z.looseObject({
  id: z.string(),
  survey: z
    .looseObject({
      id: z.string(),
      name: z.string().nullish(),
      regionId: z.string().nullish(),
      priority: z.number().nullish(),
    })
    .nullish(),
  user: z.looseObject({ uid: z.string().nullish() }).nullish(),
  sha256: sha256Schema.nullish().catch(null),
  /** File size. */
  bytes: z.number().nullish().catch(null),
  /** Media type, such as `image/jpeg`. */
  type: z.string().nullish(),
  /** Display name; never a path on a server. */
  path: z.string().nullish(),
  /** Pixels. */
  width: z.number().nullish().catch(null),
  height: z.number().nullish().catch(null),
  copyright: z.string().nullish(),
  since: z.string().nullish(),
  meta: z
    .looseObject({
      /** Time taken: ISO without a zone (the camera's clock, zone unknown) or with one. */
      taken: z.string().nullish(),
      camera: z.looseObject({ make: z.string().nullish(), model: z.string().nullish() }).nullish(),
      analysis: z.looseObject({ total: z.number() }).optional(),
      analysis_expert: z.looseObject({ total: z.number() }).optional(),
    })
    .nullish(),
  /** File system metadata: name, size in bytes, last change. */
  fileMeta: z
    .looseObject({ name: z.string().nullish(), size: z.number().nullish(), lastModified: z.string().nullish() })
    .nullish(),
  position: imagePositionSchema.nullish().catch(null),
  preview: z.enum(['made', 'none']).nullish().catch(null),
  /** Sort key within the survey; see `order.ts`. */
  order: z.string().nullish().catch(null),
  /** Figures measured on the device when added; see `quality.ts`. */
  quality: qualitySchema.nullish().catch(null),
  /** A person dismissed its hints. */
  keptAsIs: z.boolean().nullish().catch(null),
  /** UTC from the box's clock code if it is in the picture, ISO 8601. */
  boxClock: z.string().nullish().catch(null),
  /** Photograph that it replaces. */
  retakeOf: z.string().nullish().catch(null),
  previewReason: z.string().nullish(),
  isDeleted: z.boolean().default(false),
  deletedAt: z.string().nullish(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  token: z.string().nullish(),
  url: z.string().nullish(),
  color_corrected: imageUrlSchema.nullish(),
  ml: z.boolean().nullish(),
  /** Random value for random selection (1§3). */
  seed: z.number().nullish(),
});

export const IMAGE: RecordDefinition<typeof imageSchema> = { version: 1, migrations: [], schema: imageSchema };

export interface NewImage {
  readonly id: ImageId;
  readonly survey: {
    readonly id: SurveyId;
    readonly name: string;
    readonly regionId: string;
    readonly priority?: number;
  };
  readonly uid: PersonId;
  /** Bytes as on the device: nothing is re-encoded. */
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly type: string;
  /** Display name, such as `DSCN0010.jpg`. */
  readonly path: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly madeAt: string;
  /** Pixels. */
  readonly width?: number;
  readonly height?: number;
  readonly taken?: string;
  readonly camera?: { readonly make?: string; readonly model?: string };
  readonly fileMeta?: { readonly name?: string; readonly size?: number; readonly lastModified?: string };
  readonly position?: {
    readonly latitude: number;
    readonly longitude: number;
    readonly altitude?: number;
    readonly accuracy?: number;
    readonly source: PositionSource;
  };
  readonly preview: { readonly state: 'made' } | { readonly state: 'none'; readonly reason: NoPreviewReason };
  /** Sort key; see `order.ts`. */
  readonly order?: string;
  readonly quality?: Quality;
  readonly retakeOf?: ImageId;
  /** UTC from the box's clock code in the picture, ISO 8601. */
  readonly boxClock?: string;
}

/** Body of an image's first operation, without `undefined` and without server-owned fields. */
export function newImage(
  image: NewImage,
): JsonObject & { readonly id: ImageId; readonly sha256: Sha256; readonly bytes: number } {
  const { preview, survey } = image;
  return {
    id: image.id,
    survey: {
      id: survey.id,
      name: survey.name,
      regionId: survey.regionId,
      ...(survey.priority === undefined ? {} : { priority: survey.priority }),
    },
    user: { uid: image.uid },
    sha256: image.sha256,
    bytes: image.bytes,
    type: image.type,
    path: image.path,
    since: image.madeAt,
    ...(image.width === undefined ? {} : { width: image.width }),
    ...(image.height === undefined ? {} : { height: image.height }),
    meta: {
      ...(image.taken === undefined ? {} : { taken: image.taken }),
      ...(image.camera === undefined ? {} : { camera: definedMembers(image.camera) }),
    },
    ...(image.fileMeta === undefined ? {} : { fileMeta: definedMembers(image.fileMeta) }),
    ...(image.position === undefined ? {} : { position: definedMembers(image.position) }),
    preview: preview.state,
    ...(preview.state === 'none' ? { previewReason: preview.reason } : {}),
    ...(image.order === undefined ? {} : { order: image.order }),
    ...(image.quality === undefined ? {} : { quality: qualityJson(image.quality) }),
    ...(image.boxClock === undefined ? {} : { boxClock: image.boxClock }),
    ...(image.retakeOf === undefined ? {} : { retakeOf: image.retakeOf }),
    isDeleted: false,
  };
}

function qualityJson({ luma, clipped, sharpness, ...figures }: Quality): JsonObject {
  return { ...figures, ...(sharpness === undefined ? {} : { sharpness }), luma: { ...luma }, clipped: { ...clipped } };
}

/** Members with a value: a body holds no `undefined`. */
function definedMembers(members: Readonly<Record<string, string | number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string | number] => entry[1] !== undefined),
  );
}
