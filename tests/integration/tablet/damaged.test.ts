import { describe, expect, test } from 'vitest';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet } from '../../support/tablet/real-scene';
import { photograph, until } from '../../support/tablet/tablet';

type Damage = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const flipped =
  (at: (length: number) => number): Damage =>
  (bytes) => {
    const copy = bytes.slice();
    copy[at(copy.length)]! ^= 0xff;
    return copy;
  };

describe('1§9 a photograph damaged in the tablet’s storage', () => {
  test.each<[string, number, Damage, string]>([
    ['in the middle', 200_000, flipped((n) => n >> 1), 'storage'],
    ['in the middle, sent in pieces over HTTP', 1_500_000, flipped((n) => n >> 1), 'storage'],
    ['in its first bytes', 200_000, flipped(() => 0), 'storage'],
    ['in its first bytes, sent in pieces over HTTP', 1_500_000, flipped(() => 0), 'storage'],
    ['wholly', 200_000, (bytes) => new Uint8Array(bytes.length), 'storage'],
    ['to another length', 200_000, (bytes) => bytes.slice(0, 150_000), 'bytes'],
    ['to nothing', 200_000, () => new Uint8Array(0), 'bytes'],
  ])('%s is held and reported as damaged here, and the others reach the box', async (_how, size, damage, field) => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const bad = await one.repositories.census.images.addPhotograph(photograph(1, size), id);
    const good = await one.repositories.census.images.addPhotograph(photograph(2, size), id);
    const { db } = one.context.store;
    const row = (await db.blobs.get(bad.sha256))!;
    await db.blobs.put({
      ...row,
      blob: new Blob([damage(new Uint8Array(await row.blob.arrayBuffer()))], { type: row.type }),
    });

    const { held, facts } = one.repositories.custody.sending;
    const live = one.repositories.census.images.ofSurvey(id);
    for (const stop of [held.subscribe(() => undefined), live.subscribe(() => undefined)])
      closers.push(async () => stop());
    await one.repositories.edge.link.pair(box.url, box.code);
    const standing = (imageId: string) => live.get().items.find((view) => view.id === imageId)?.custody;
    await until(() => standing(good.id)?.status === 'box', 'the other is aboard');
    await until(() => held.get().items.length > 0 && facts.get().state === 'done', 'held, and nothing more to do');
    expect(held.get().items).toMatchObject([{ docId: bad.id, reason: { field } }]);
    expect(standing(bad.id)).toMatchObject({ status: 'held' });
    const places = one.repositories.custody.photographs.ofSurvey(id);
    const unwatch = places.subscribe(() => undefined);
    closers.push(async () => unwatch());
    await until(() => places.get().items.some(({ place }) => place === 'lost'), 'damaged here');
    const response = await fetch(`${box.url}/edge/blobs/${bad.sha256}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${box.adminToken}` },
    });
    expect(response.status).toBe(404);

    // Adding it again from the card repairs it, and it is sent.
    await one.repositories.census.images.addPhotograph(photograph(1, size), id);
    await until(() => standing(bad.id)?.status === 'box', 'made whole and aboard');
  });

  test('a copy that the browser cannot read is held too', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const bad = await one.repositories.census.images.addPhotograph(photograph(1), id);
    const { blobs } = one.context.store.db;
    // Browser error for a blob with a missing or unreadable file.
    blobs.hook('reading', (row) => {
      const slice = (): Blob =>
        Object.assign(new Blob(), {
          arrayBuffer: () =>
            Promise.reject(new DOMException('The requested file could not be read.', 'NotReadableError')),
        });
      return row.sha256 === bad.sha256 ? { ...row, blob: Object.assign(row.blob, { slice }) } : row;
    });
    const { held } = one.repositories.custody.sending;
    const stop = held.subscribe(() => undefined);
    closers.push(async () => stop());
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => held.get().items.length > 0, 'held');
    expect(held.get().items).toMatchObject([{ docId: bad.id, reason: { code: 'hash-mismatch', field: 'storage' } }]);
  });
});
