import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../../src/domain/canonical';
import { makeId, opIdOf, type Sha256 } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';

const MADE_AT = '2026-11-20T09:30:00.000Z';
const PHOTOGRAPHS_A_SURVEY = 180;
const EDITS_IN_A_HUNDRED = 10;

/**
 * Operations of an expedition: surveys, photograph records, and one edit per ten records, which replaces the record's
 * name.
 *
 * @param count of operations; each call makes new ids
 * @param person their author; a new one by default
 */
export function makeOps(count: number, person: string = newId()): readonly Op[] {
  const device = newId();
  const ops: Op[] = [];
  const add = (kind: OpKind, body: JsonObject & { id: string }, more: Partial<Op> = {}): Op => {
    const sha256 = createHash('sha256').update(canonicalJson(body)).digest('hex') as Sha256;
    const op: Op = {
      v: 1,
      opId: opIdOf(device, ops.length + 1),
      kind,
      docId: body.id,
      by: person as Op['by'] & string,
      madeAt: MADE_AT,
      schema: 1,
      body,
      sha256,
      ...more,
    };
    ops.push(op);
    return op;
  };
  let survey = newId();
  for (let record = 0; ops.length < count; record++) {
    if (record % PHOTOGRAPHS_A_SURVEY === 0) {
      survey = newId();
      add('survey', surveyBody(survey, person, record / PHOTOGRAPHS_A_SURVEY));
    } else if (record % 100 >= 100 - EDITS_IN_A_HUNDRED) {
      const image = imageBody(survey, person, record);
      const first = add('image', image);
      if (ops.length < count)
        add('image', { ...image, name: `${image['name']} (checked)` }, { lc: 2, over: { name: [first.opId] } });
    } else {
      add('image', imageBody(survey, person, record));
    }
  }
  return ops;
}

function surveyBody(id: string, person: string, n: number): JsonObject & { id: string } {
  return {
    id,
    v: '1',
    name: `Ribbon Reef ${n}`,
    date: '2026-11-20',
    reef: 'Ribbon No 5',
    zone: 'Crest',
    type: 'snorkel',
    depth: 'shallow',
    loc: { id: `ribbon-${n}`, lat: -15.3456789, lng: 145.7654321, name: 'Ribbon No 5 Reef' },
    user: { uid: person, displayName: 'A. Diver', email: 'diver@example.org' },
    gps: { lat: -15.3456, lng: 145.7654, time: MADE_AT },
    water: 26.5,
    visibility: 14,
    note: 'Flat sea, current from the south.',
  };
}

function imageBody(survey: string, person: string, n: number): JsonObject & { id: string; name: string } {
  return {
    id: newId(),
    v: '1',
    name: `G00${n}.JPG`,
    path: `DCIM/100GOPRO/G00${n}.JPG`,
    type: 'image/jpeg',
    bytes: 4_000_000,
    sha256: randomBytes(32).toString('hex'),
    width: 4000,
    height: 3000,
    survey: { id: survey },
    user: { uid: person },
    exif: {
      Make: 'GoPro',
      Model: 'HERO9 Black',
      DateTimeOriginal: '2026:11:20 09:30:00',
      ExposureTime: 0.0021,
      FNumber: 2.5,
      ISO: 100,
      GPSLatitude: -15.3456,
      GPSLongitude: 145.7654,
    },
    gps: { lat: -15.3456, lng: 145.7654, time: MADE_AT, source: 'camera' },
    phash: randomBytes(8).toString('hex'),
  };
}

function newId(): string {
  return makeId((n) => randomBytes(n));
}
