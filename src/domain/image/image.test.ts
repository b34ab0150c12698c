import { describe, expect, it } from 'vitest';
import { blobOf } from '../../protocol/receipt';
import type { ImageId, OpId, PersonId, Sha256, SurveyId } from '../ids';
import { draftFirst, sealOp } from '../op/draft';
import { parseOp } from '../op/op';
import { readRecord } from '../record';
import type { NewImage } from './image';
import { IMAGE, newImage } from './image';

const given: NewImage = {
  id: 'Image00000000001' as ImageId,
  survey: { id: 'Survey0000000001' as SurveyId, name: 'Moore Reef', regionId: 'gbr', priority: 2 },
  uid: 'Person0000000001' as PersonId,
  sha256: 'a'.repeat(64) as Sha256,
  bytes: 4_000_000,
  type: 'image/jpeg',
  path: 'DSCN0010.jpg',
  madeAt: '2026-11-20T00:00:01.000Z',
  width: 4000,
  height: 3000,
  taken: '2026-11-19T10:30:00',
  camera: { make: 'OLYMPUS', model: 'TG-6' },
  fileMeta: { name: 'DSCN0010.jpg', size: 4_000_000 },
  position: { latitude: -16.86, longitude: 146.23, altitude: -5, source: 'exif' },
  preview: { state: 'made' },
};

describe('1§3 image', () => {
  it('1§3 a new record passes as the body of an operation and names its bytes', () => {
    const op = parseOp(
      sealOp(
        draftFirst('image', newImage(given), { madeAt: given.madeAt, schema: 1 }),
        'DeviceAAAAAAAAAA-1' as OpId,
        '0'.repeat(64) as Sha256,
      ),
    );
    expect(op.docId).toBe(given.id);
    expect(blobOf(op)).toEqual({ sha256: given.sha256, bytes: given.bytes });
  });

  it('1§3 a record round-trips with its unknown fields', () => {
    const body = { ...newImage(given), lens: 'wet' };
    expect(readRecord(IMAGE, body)).toMatchObject({ status: 'ready', record: { ...body } });
  });

  it('1§3 a photograph without preview, camera or position is still evidence', () => {
    const { width: _w, height: _h, taken: _t, camera: _c, position: _p, fileMeta: _f, ...bare } = given;
    const body = newImage({ ...bare, preview: { state: 'none', reason: 'truncated' } });
    expect(body).toMatchObject({ preview: 'none', previewReason: 'truncated', meta: {} });
    expect(Object.values(body)).not.toContain(undefined);
    expect(readRecord(IMAGE, body).status).toBe('ready');
  });

  it('1§3 invalid values do not hide a photograph', () => {
    expect(
      readRecord(IMAGE, { id: given.id, position: { latitude: 123, longitude: 0 }, sha256: 'short', preview: 'later' }),
    ).toMatchObject({ status: 'ready', record: { position: null, sha256: null, preview: null } });
  });
});
