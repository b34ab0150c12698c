import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { geoPointSchema } from './position/geo-point';
import { OP_KINDS } from './op/op';
import type { RecordDefinition } from './record';
import { migrate, readRecord } from './record';
import { RECORDS, schemaVersion } from './records';

/** Record with two migrations: version 2 moves `depth` out of `meta`, version 3 converts feet to metres. */
const DIVE: RecordDefinition<z.ZodType<{ id: string; depth: number }>> = {
  version: 3,
  migrations: [
    { to: 2, up: ({ meta, ...body }) => ({ ...body, feet: (meta as { feet: number }).feet }) },
    { to: 3, up: ({ feet, ...body }) => ({ ...body, depth: Math.round(Number(feet) * 0.3048) }) },
  ],
  schema: z.looseObject({ id: z.string(), depth: z.number() }),
};

describe('1§3 records: versions', () => {
  it('1§3 an older body passes through its missing migrations, in order', () => {
    expect(readRecord(DIVE, { id: 'a', meta: { feet: 33 }, note: 'n' }, 1)).toEqual({
      status: 'ready',
      record: { id: 'a', depth: 10, note: 'n' },
    });
    expect(readRecord(DIVE, { id: 'a', feet: 33 }, 2)).toMatchObject({ record: { depth: 10 } });
    expect(readRecord(DIVE, { id: 'a', depth: 10 })).toMatchObject({ record: { depth: 10 } });
  });

  it('1§3 a body of a newer version is read as far as it is known', () => {
    expect(readRecord(DIVE, { id: 'a', depth: 10, tide: 2 }, 7)).toEqual({
      status: 'ready',
      record: { id: 'a', depth: 10, tide: 2 },
    });
  });

  it('1§3 an unreadable body names the failing field and keeps the raw data', () => {
    expect(readRecord(DIVE, { id: 'a', depth: 'deep' })).toMatchObject({
      status: 'unreadable',
      raw: { id: 'a', depth: 'deep' },
      problems: [expect.stringMatching(/^depth: /)],
    });
  });

  it('1§3 a migration does not change the body it is given', () => {
    const body = Object.freeze({ id: 'a', feet: 33 });
    expect(migrate(DIVE, body, 2)).not.toBe(body);
    expect(body).toEqual({ id: 'a', feet: 33 });
  });

  it('1§3 every kind of operation has a record whose migrations reach its version step by step', () => {
    for (const kind of OP_KINDS) {
      const { version, migrations } = RECORDS[kind];
      expect(schemaVersion(kind)).toBe(version);
      expect(migrations.map(({ to }) => to)).toEqual(Array.from({ length: version - 1 }, (_, i) => i + 2));
    }
  });
});

describe('1§3 places and analyses', () => {
  it('3§3 a position is read in either form, written in one, and refused off the earth', () => {
    expect(geoPointSchema.parse({ lat: -16.86, lng: 146.23 })).toEqual({ latitude: -16.86, longitude: 146.23 });
    expect(geoPointSchema.parse({ latitude: -16.86, longitude: 146.23 })).toEqual({
      latitude: -16.86,
      longitude: 146.23,
    });
    for (const wrong of [{ latitude: 91, longitude: 0 }, { lat: 0, lng: -181 }, { latitude: '1', longitude: 2 }, {}])
      expect(geoPointSchema.safeParse(wrong).success).toBe(false);
  });

  it('2§3 an analysis keeps every field', () => {
    const analysis = {
      id: 'Analysis00000001',
      version: 2.4,
      sync: 0,
      image: { id: 'Image00000000001', path: 'token/url' },
      stats: { coverage: 0.9512, labels: { coverage: 1 } },
      otherAnswers: { polygon_labels: [{ id: 1, labels: ['plating'] }] },
      geobuf_string: 'AA==',
    };
    expect(readRecord(RECORDS.analysis, analysis)).toEqual({
      status: 'ready',
      record: { ...analysis, isDeleted: false },
    });
  });
});
