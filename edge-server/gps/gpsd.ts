import { z } from 'zod';
import type { Reading } from './reading';
import { isPlace } from './reading';

/** What gpsd is asked for: its reports as JSON. */
export const GPSD_WATCH = '?WATCH={"enable":true,"json":true};\n';

const KNOTS_PER_METRE_A_SECOND = 3600 / 1852;
const DAY_MS = 86_400_000;
/** Of gpsd's `status`: dead reckoning and simulated. */
const NOT_MEASURED: readonly number[] = [5, 8];

/** A report of time, position and velocity; `mode` 2 and 3 are fixes. */
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

/** Reads one report of gpsd. */
export function parseReport(line: string): Reading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'broken', fault: 'form' };
  }
  if (typeof value !== 'object' || value === null || !('class' in value)) return { kind: 'broken', fault: 'form' };
  if (value.class !== 'TPV') return { kind: 'other' };
  const parsed = tpvSchema.safeParse(value);
  if (!parsed.success) return { kind: 'broken', fault: 'field' };
  const { mode, status, time, lat, lon, speed, track } = parsed.data;
  if (mode < 2 || NOT_MEASURED.includes(status ?? 1)) return { kind: 'void' };
  if (lat === undefined || lon === undefined || !isPlace(lat, lon)) return { kind: 'broken', fault: 'field' };
  const ms = Date.parse(time ?? '');
  return {
    kind: 'position',
    lat,
    lng: lon,
    time: Number.isNaN(ms) ? { ofDay: null, date: null } : { ofDay: ((ms % DAY_MS) + DAY_MS) % DAY_MS, date: Math.floor(ms / DAY_MS) * DAY_MS },
    motion: { ...(speed === undefined ? {} : { speed: Math.round(speed * KNOTS_PER_METRE_A_SECOND * 100) / 100 }), ...(track === undefined ? {} : { heading: track % 360 }) },
  };
}
