import { z } from 'zod';
import type { GeoPoint } from '../position/geo-point';
import { regionIdSchema } from '../region/region';
import type { RegionId } from '../region/region-id';

/** Reef, cay, island or rock of a region's table (3§3 "Reef feature"). */
export interface Reef {
  /** Unique feature id, referenced by surveys (`loc.id`). */
  readonly id: string;
  /** Chart number, such as `16-071`; shared by an island and its reef. Empty in regions without numbers. */
  readonly gid: string;
  /** Empty for the many unnamed reefs, which are identified by number. */
  readonly name: string;
  /** `Reef`, `Cay`, `Island`… from the source; empty if absent. */
  readonly kind: string;
  readonly position: GeoPoint;
}

/** Reefs of a region, in memory. */
export interface ReefTable {
  readonly regionId: RegionId;
  /** Source and licence; displayed with the data. */
  readonly attribution: string;
  readonly reefs: readonly Reef[];
}

/** Sanity limit, above any region's count. */
export const REEFS_MAX = 50_000;
const TEXT_MAX = 200;

const text = z.string().max(TEXT_MAX);

/**
 * Reef table as a file and on the wire (reference data `reefs-<region>`): one list per column, for size. `at`
 * alternates latitude and longitude, degrees, five decimals (1 m); `kind` indexes `kinds`.
 */
export const reefFileSchema = z
  .object({
    v: z.literal(1),
    regionId: regionIdSchema,
    attribution: z.string().max(500),
    kinds: z.array(text).max(100),
    id: z.array(text.min(1)).max(REEFS_MAX),
    gid: z.array(text),
    name: z.array(text),
    kind: z.array(z.int().min(0)),
    at: z.array(z.number()),
  })
  .superRefine((file, context) => {
    const n = file.id.length;
    if (file.gid.length !== n || file.name.length !== n || file.kind.length !== n || file.at.length !== 2 * n)
      context.addIssue({ code: 'custom', message: 'its columns differ in length' });
    if (file.at.some((degrees, i) => Math.abs(degrees) > (i % 2 === 0 ? 90 : 180)))
      context.addIssue({ code: 'custom', message: 'a reef has an invalid position' });
    if (file.kind.some((at) => at >= file.kinds.length))
      context.addIssue({ code: 'custom', message: 'a reef has a kind that is not listed' });
  });
export type ReefFile = z.infer<typeof reefFileSchema>;

/** @param file checked with {@link reefFileSchema} */
export function tableOf({ regionId, attribution, kinds, id, gid, name, kind, at }: ReefFile): ReefTable {
  const reefs = id.map((own, i) => ({
    id: own,
    gid: gid[i] ?? '',
    name: name[i] ?? '',
    kind: kinds[kind[i] ?? -1] ?? '',
    position: { latitude: at[2 * i] ?? 0, longitude: at[2 * i + 1] ?? 0 },
  }));
  return { regionId, attribution, reefs };
}

/** Encodes a table; the order of reefs is preserved. */
export function reefFileOf({ regionId, attribution, reefs }: ReefTable): ReefFile {
  const kinds = [...new Set(reefs.map(({ kind }) => kind))].sort();
  const fine = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
  return {
    v: 1,
    regionId,
    attribution,
    kinds,
    id: reefs.map(({ id }) => id),
    gid: reefs.map(({ gid }) => gid),
    name: reefs.map(({ name }) => name),
    kind: reefs.map(({ kind }) => kinds.indexOf(kind)),
    at: reefs.flatMap(({ position }) => [fine(position.latitude), fine(position.longitude)]),
  };
}
