import { createHash } from 'node:crypto';
import type { Page } from 'playwright';
import sharp from 'sharp';
import { makeId, opIdOf, type ImageId, type PersonId, type Sha256, type SurveyId } from '../../../src/domain/ids';
import { newImage } from '../../../src/domain/image/image';
import { draftFirst, sealOp } from '../../../src/domain/op/draft';
import type { Op } from '../../../src/domain/op/op';
import { schemaVersion } from '../../../src/domain/records';
import { hashedText } from '../../../src/protocol/hash';
import { seeded } from '../../support/seed';

/** Number of different pictures among the previews: as many as a person sees at once. */
const PICTURES = 48;

/**
 * Seeds photographs of one survey as the tablet stores them: operations made and sealed by the functions of `append`,
 * each with its preview, written straight into the browser's database in few transactions. The app projects them at its
 * next start. Originals are omitted, as the roll does not read them.
 *
 * @param page any page of the app; load it again afterwards
 */
export async function seedPhotographs(page: Page, surveyId: SurveyId, count: number): Promise<void> {
  const random = seeded(10_000);
  const [deviceId, counter, arrival] = await page.evaluate(async () => {
    const ask = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
      });
    const database = await ask(indexedDB.open('reef-ops'));
    const store = database.transaction('meta').objectStore('meta');
    const rows = (await Promise.all(['deviceId', 'counter', 'arrival'].map((key) => ask(store.get(key))))) as {
      value: unknown;
    }[];
    database.close();
    return rows.map(({ value }) => value) as [string, number, number];
  });
  const begun = Date.parse('2026-11-20T00:00:00Z');
  const ops: Op[] = Array.from({ length: count }, (_, i) => {
    const madeAt = new Date(begun + i * 1000).toISOString();
    const id = makeId<ImageId>((n) => new Uint8Array(random.bytes(n)));
    const sha256 = createHash('sha256').update(`photograph ${i}`).digest('hex') as Sha256;
    const body = newImage({
      id,
      survey: { id: surveyId, name: 'Bench', regionId: 'gbr' },
      uid: 'bench0000000000' as PersonId,
      sha256,
      bytes: 4_000_000,
      type: 'image/jpeg',
      path: `P${String(i).padStart(6, '0')}.JPG`,
      madeAt,
      width: 4000,
      height: 3000,
      taken: madeAt.slice(0, 19),
      camera: { make: 'OM', model: 'TG-6' },
      preview: { state: 'made' },
    });
    return sealOp(
      { ...draftFirst('image', body, { madeAt, schema: schemaVersion('image') }), lc: 1 },
      opIdOf(deviceId, counter + 1 + i),
      createHash('sha256').update(hashedText(body)).digest('hex') as Sha256,
    );
  });
  const pictures = await Promise.all(
    Array.from({ length: PICTURES }, () =>
      sharp(random.bytes(8 * 6 * 3), { raw: { width: 8, height: 6, channels: 3 } })
        .resize(800, 600)
        .jpeg({ quality: 70 })
        .toBuffer(),
    ),
  );
  await page.evaluate(
    async ({ ops: text, pictures, counter, arrival }) => {
      const ops = JSON.parse(text) as { opId: string; docId: string; body: { sha256: string } }[];
      const ask = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error ?? new Error('IndexedDB'));
        });
      const database = await ask(indexedDB.open('reef-ops'));
      const blobs = pictures.map(
        (text) => new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: 'image/jpeg' }),
      );
      for (let from = 0; from < ops.length; from += 1000) {
        const transaction = database.transaction(['ops', 'blobs', 'previews', 'dirty', 'meta'], 'readwrite');
        const done = new Promise<void>((resolve, reject) => {
          transaction.oncomplete = () => resolve();
          transaction.onabort = () => reject(transaction.error ?? new Error('aborted'));
        });
        ops.slice(from, from + 1000).forEach((op, j) => {
          const n = counter + 1 + from + j;
          const row = { kind: 'image', docId: op.docId, arrival: arrival + 1 + from + j };
          const { sha256 } = op.body;
          transaction.objectStore('ops').put({ opId: op.opId, n, own: true, by: null, op, ...row });
          transaction.objectStore('dirty').put(row);
          transaction.objectStore('blobs').put({ sha256, bytes: 1, type: 'image/jpeg', blob: new Blob(['x']) });
          transaction.objectStore('previews').put({ sha256, picture: blobs[(from + j) % blobs.length] });
        });
        transaction.objectStore('meta').put({ key: 'counter', value: counter + ops.length });
        transaction.objectStore('meta').put({ key: 'arrival', value: arrival + ops.length });
        await done;
      }
      database.close();
    },
    { ops: JSON.stringify(ops), pictures: pictures.map((bytes) => bytes.toString('base64')), counter, arrival },
  );
}
