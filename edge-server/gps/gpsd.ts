import { z } from 'zod';
import type { Reading } from './reading';
import { isPlausiblePosition } from './reading';

export const GPSD_WATCH = '?WATCH={"enable":true,"json":true};\n';

const KNOTS_PER_METRE_A_SECOND = 3600 / 1852;
const DAY_MS = 86_400_000;
/** Values of gpsd's `status`: dead reckoning and simulated. */
const NOT_MEASURED: readonly number[] = [5, 8];

/** Report of time, position and velocity; `mode` 2 and 3 are fixes. */
const tpvSchema = z.object({
  class: z.literal('TPV'),
  mode: z.int(),
  status: z.int().optional(),
  time: z.string().optional(),
  lat: z.number().optional(),
  lon: z.number().optional(),
  speed: z.number().min(0).max(500).optional().catch(undefined),
  track: z.number().min(0).max(360).optional().catch(undefined),
});

/** Report of the sky: a count of used satellites since 3.21, a list of satellites before. */
const skySchema = z.object({
  class: z.literal('SKY'),
  uSat: z.int().min(0).max(999).optional().catch(undefined),
  satellites: z
    .array(z.object({ used: z.boolean().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
});

export function parseReport(line: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'broken', fault: 'form' };
  }
  if (typeof value !== 'object' || value === null || !('class' in value)) return { kind: 'broken', fault: 'form' };
  if (value.class === 'SKY') return satellitesOf(value);
  if (value.class !== 'TPV') return { kind: 'other' };
  const parsed = tpvSchema.safeParse(value);
  if (!parsed.success) return { kind: 'broken', fault: 'field' };
  const { mode, status, time, lat, lon, speed, track } = parsed.data;
  if (mode < 2 || NOT_MEASURED.includes(status ?? 1)) return { kind: 'void' };
  if (lat === undefined || lon === undefined || !isPlausiblePosition(lat, lon))
    return { kind: 'broken', fault: 'field' };
  const ms = Date.parse(time ?? '');
  return {
    kind: 'position',
    lat,
    lng: lon,
    time: Number.isNaN(ms)
      ? { timeOfDay: null, date: null }
      : { timeOfDay: ((ms % DAY_MS) + DAY_MS) % DAY_MS, date: Math.floor(ms / DAY_MS) * DAY_MS },
    motion: {
      ...(speed === undefined ? {} : { speed: Math.round(speed * KNOTS_PER_METRE_A_SECOND * 100) / 100 }),
      ...(track === undefined ? {} : { heading: track % 360 }),
    },
  };
}

/** Number of satellites in use; a report without any is ignored. */
function satellitesOf(value: object): Reading {
  const { data } = skySchema.safeParse(value);
  const used = data?.uSat ?? data?.satellites?.filter((satellite) => satellite.used === true).length ?? 0;
  return used > 0 ? { kind: 'satellites', satellites: used } : { kind: 'other' };
}
