import { z } from 'zod';
import type { GeoPoint } from '../position/geo-point';
import { regionIdSchema } from '../region/region';
import type { RegionId } from '../region/region-id';

/** A reef, cay, island or rock of a region's table (3§3 "Reef feature"). */
export interface Reef {
  /** The feature's own id: one a feature. Surveys name their reef by it (`loc.id`). */
  readonly id: string;
  /** The number on the chart, such as `16-071`; an island shares it with its reef. Empty where the region has none. */
  readonly gid: string;
  /** Empty for the many that nobody named: they go by their number. */
  readonly name: string;
  /** `Reef`, `Cay`, `Island`… as the source says it; empty where it does not. */
  readonly kind: string;
  readonly position: GeoPoint;
}

/** The reefs of a region as a screen works with them. */
export interface ReefTable {
  readonly regionId: RegionId;
  /** Whose facts these are and under which licence; shown wherever they are. */
  readonly attribution: string;
  readonly reefs: readonly Reef[];
}

/** More than any region has; a table beyond it is no table of reefs. */
export const REEFS_MAX = 50_000;
const TEXT_MAX = 200;

const text = z.string().max(TEXT_MAX);

/**
 * A table as it lies in a file and crosses the wire (reference data `reefs-<region>`): one list a column, so that it is
 * small. `at` holds latitude and longitude in turn, degrees, five decimals (1 m); `kind` counts into `kinds`.
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
      context.addIssue({ code: 'custom', message: 'its columns are not of one length' });
    if (file.at.some((degrees, i) => Math.abs(degrees) > (i % 2 === 0 ? 90 : 180)))
      context.addIssue({ code: 'custom', message: 'a reef lies off the earth' });
    if (file.kind.some((at) => at >= file.kinds.length))
      context.addIssue({ code: 'custom', message: 'a reef is of a kind that is not listed' });
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

/** The file of a table; the order of its reefs is kept. */
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

/** What people call it: `Moore Reef 16-071`, `Reef 10-330`. */
export function reefLabel({ name, gid, kind, id }: Pick<Reef, 'name' | 'gid' | 'kind' | 'id'>): string {
  if (name !== '') return gid === '' ? name : `${name} ${gid}`;
  return `${kind === '' ? 'Reef' : kind} ${gid === '' ? id : gid}`;
}
