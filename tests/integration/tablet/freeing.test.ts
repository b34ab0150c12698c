import { afterEach, describe, expect, test } from 'vitest';
import type { ImageId, SurveyId } from '../../../src/domain/ids';
import { ReefError } from '../../../src/domain/errors';
import { LIMITS } from '../../../src/domain/limits';
import type { ReceiptRow } from '../../../src/data/ops/database';
import type { Receipt, UnsignedReceipt } from '../../../src/protocol/receipt';
import { ScriptedCloud } from '../../support/doubles/scripted-cloud';
import { photograph, quiet } from '../../support/tablet/tablet';
import type { ShoreScene, TestTablet } from '../../support/tablet/tablet-scene';
import {
  addSurvey,
  closeTablets,
  openBeside,
  runUntil,
  settled,
  shoreScene,
  signInAshore,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

interface Ashore extends ShoreScene {
  readonly survey: SurveyId;
  readonly images: readonly { readonly id: ImageId; readonly sha256: string; readonly file: File }[];
}

/** Tablet with receipted photographs ashore. */
async function ashore(count = 1): Promise<Ashore> {
  const scene = await shoreScene();
  const { tablet, cloud, clock } = scene;
  const survey = await addSurvey(tablet);
  const images = [];
  for (let i = 1; i <= count; i++) {
    const file = photograph(i, 60_000 + i);
    images.push({ ...(await tablet.repositories.census.images.addPhotograph(file, survey)), file });
  }
  await signInAshore({ tablet, cloud });
  await runUntil(clock, settled(tablet), 'all ashore');
  return { ...scene, survey, images };
}

const here = async ({ context }: TestTablet): Promise<number> => context.store.db.blobs.count();
const space = (tablet: TestTablet) => tablet.repositories.tablet.space.facts.get();

async function free(tablet: TestTablet): Promise<void> {
  await tablet.repositories.tablet.space.free();
  await quiet(80);
}

/** Replaces the cloud's receipt of a photograph, as in a damaged or forged store. */
async function forge(
  { tablet }: Ashore,
  image: { readonly id: ImageId },
  change: (receipt: Receipt) => Receipt,
): Promise<void> {
  const { db } = tablet.context.store;
  for (const row of await db.receipts.toArray()) {
    if (row.receipt.docId === image.id)
      await db.receipts.put({ ...row, receipt: change(row.receipt) } satisfies ReceiptRow);
  }
  await tablet.context.store.bumpGeneration();
  await tablet.context.opIndex.follow();
}

describe('protocol: freeing', () => {
  test('a freed photograph keeps preview and record here and its original in the cloud', async () => {
    const { tablet, cloud, images } = await ashore(3);
    for (const { sha256 } of images)
      await tablet.context.store.db.previews.put({ sha256: sha256 as never, picture: new Blob(['p']) });
    await free(tablet);
    expect(await here(tablet)).toBe(0);
    expect(await tablet.context.store.db.previews.count()).toBe(3);
    const rows = await tablet.context.store.db.freed.toArray();
    expect(rows.map(({ by, docIds, receipts }) => [by, docIds.length, receipts[0]?.stage])).toEqual([
      ['person', 1, 'cloud'],
      ['person', 1, 'cloud'],
      ['person', 1, 'cloud'],
    ]);
    for (const { sha256, file } of images)
      expect(cloud.bytes.get(sha256)?.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
    expect(space(tablet).last).toEqual({ photographs: 3, bytes: 180_006, missing: 0 });
  });

  test('a freed photograph shows as ashore, owes nothing and can be added again', async () => {
    const { tablet, clock, images, survey } = await ashore(1);
    const [image] = images;
    await free(tablet);
    const at = tablet.repositories.custody.photographs.ofSurvey(survey);
    const stop = at.subscribe(() => undefined);
    await runUntil(clock, () => at.get().items[0]?.isFreed === true, 'freed');
    expect(at.get().items[0]).toMatchObject({ place: 'shore', isOnTablet: false, isFreed: true });
    stop();
    expect(tablet.repositories.custody.sending.facts.get().state).toBe('done');
    await expect(tablet.repositories.census.images.original(image!.sha256 as never)).rejects.toMatchObject({
      code: 'not-found',
      details: { field: 'freed' },
    });
    await tablet.repositories.census.images.addPhotograph(image!.file, survey);
    expect(await here(tablet)).toBe(1);
    expect(tablet.context.opIndex.hasBytes(image!.sha256)).toBe(true);
  });

  test('a box receipt without a cloud receipt frees nothing', async () => {
    const { tablet, clock, box, cloud } = await shoreScene();
    const survey = await addSurvey(tablet);
    const { sha256 } = await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'aboard');
    await signInAshore({ tablet, cloud });
    cloud.bytes.set(sha256, Buffer.from(await photograph(1).arrayBuffer()));
    await free(tablet);
    expect(await here(tablet)).toBe(1);
  });

  test.each([
    [
      'is not accepted',
      (receipt: Receipt, cloud: ScriptedCloud) =>
        cloud.signed({ ...receipt, accepted: false, reason: 'looked at' } as UnsignedReceipt),
    ],
    ['was altered after it was signed', (receipt: Receipt) => ({ ...receipt, storedAt: '2020-01-01T00:00:00.000Z' })],
    ['is signed with another key', (receipt: Receipt) => new ScriptedCloud(() => 0).signed(receipt)],
    [
      'is for a record without its bytes',
      ({ blob: _blob, ...receipt }: Receipt, cloud: ScriptedCloud) => cloud.signed(receipt as UnsignedReceipt),
    ],
    [
      'is for other bytes',
      (receipt: Receipt, cloud: ScriptedCloud) =>
        cloud.signed({ ...receipt, blob: { sha256: 'b'.repeat(64) as never, bytes: 60_001 } }),
    ],
    [
      'is for a shorter file',
      (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, blob: { ...receipt.blob!, bytes: 1 } }),
    ],
    [
      'is for another body',
      (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, sha256: 'c'.repeat(64) as never }),
    ],
    [
      'is for another document',
      (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, docId: 'Image00000000009' as never }),
    ],
    ['is an edge’s', (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, stage: 'edge' })],
    [
      'is of another life of the cloud',
      (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, storeEpoch: 'Epoch00000000009' as never }),
    ],
    [
      'is of another cloud',
      (receipt: Receipt, cloud: ScriptedCloud) => cloud.signed({ ...receipt, nodeId: 'Cloud00000000009' as never }),
    ],
  ])('a receipt that %s frees nothing', async (_what, change) => {
    const scene = await ashore(2);
    const [one, two] = scene.images;
    await forge(scene, one!, (receipt) => change(receipt, scene.cloud));
    await free(scene.tablet);
    expect(await scene.tablet.context.store.db.blobs.toCollection().primaryKeys()).toEqual([one!.sha256]);
    expect(scene.tablet.context.opIndex.hasBytes(two!.sha256)).toBe(false);
  });

  test('bytes that the cloud lost stay here and are reported, and the others are freed', async () => {
    const { tablet, cloud, images } = await ashore(3);
    cloud.bytes.delete(images[1]!.sha256);
    await free(tablet);
    expect(await tablet.context.store.db.blobs.toCollection().primaryKeys()).toEqual([images[1]!.sha256]);
    expect(space(tablet).last).toMatchObject({ photographs: 2, missing: 1 });
  });

  test('a store that takes the place of the cloud’s between proof and answer is not called lossy', async () => {
    const { tablet, cloud } = await ashore(1);
    cloud.instead = ({ path }) => {
      if (path === '/api/have') {
        cloud.storeEpoch = 'Epoch00000000009';
        cloud.bytes.clear();
      }
      return undefined;
    };
    await free(tablet);
    expect(await here(tablet)).toBe(1);
    expect(space(tablet)).toMatchObject({ last: null, problem: { code: 'receipt-mismatch' } });
    expect(tablet.host.log.entries().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('an unreachable or refusing cloud or a portal frees nothing and is reported', async () => {
    const { tablet, cloud } = await ashore(1);
    for (const instead of [new ReefError('unauthorised'), new ReefError('internal'), 'portal', 'down'] as const) {
      cloud.down = instead === 'down';
      cloud.instead = ({ path }) =>
        instead instanceof ReefError
          ? path === '/api/have'
            ? instead
            : undefined
          : instead === 'portal'
            ? new Response('<html>{"ok":true,"missing":[]}</html>')
            : undefined;
      await free(tablet);
      expect(await here(tablet)).toBe(1);
      expect(space(tablet).problem).not.toBeNull();
    }
  });

  test('a server without the cloud’s key, or of another epoch, is not asked', async () => {
    for (const wrong of ['key', 'life'] as const) {
      const { tablet, cloud } = await ashore(1);
      if (wrong === 'key') cloud.traceKey = new ScriptedCloud(() => 0).traceKey;
      if (wrong === 'life') cloud.storeEpoch = 'Epoch00000000009';
      const asked = cloud.heard('/api/have').length;
      await free(tablet);
      expect(await here(tablet)).toBe(1);
      expect(cloud.heard('/api/have').length).toBe(asked);
      expect(space(tablet).problem?.code).toBe('receipt-mismatch');
    }
  });

  test('a missing sign-in is reported, and nothing is freed', async () => {
    const { tablet, clock, box } = await shoreScene();
    const survey = await addSurvey(tablet);
    await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'aboard');
    await free(tablet);
    expect(await here(tablet)).toBe(1);
    expect(space(tablet)).toMatchObject({
      cloudAvailability: 'no-account',
      problem: { code: 'not-found', field: 'cloud' },
    });
  });

  test('another unsent record of the same bytes keeps them, even if removed', async () => {
    for (const isRemoved of [false, true]) {
      const { tablet, clock, cloud, images } = await ashore(1);
      cloud.instead = ({ path }) => (path === '/api/ops' ? new ReefError('internal') : undefined);
      const second = await addSurvey(tablet, 'Another dive');
      const { id } = await tablet.repositories.census.images.addPhotograph(images[0]!.file, second);
      if (isRemoved) await tablet.repositories.census.images.remove(id);
      await free(tablet);
      expect(await here(tablet)).toBe(1);
      cloud.instead = () => undefined;
      tablet.repositories.custody.sending.tryNow();
      await runUntil(clock, settled(tablet), 'the second is ashore too');
      await free(tablet);
      expect(await here(tablet)).toBe(0);
    }
  });

  test('an unsent later edit of the record keeps the bytes', async () => {
    const { tablet, cloud, images } = await ashore(1);
    cloud.instead = ({ path }) => (path === '/api/ops' ? new ReefError('internal') : undefined);
    await tablet.repositories.census.images.keepAsIs(images[0]!.id);
    await free(tablet);
    expect(await here(tablet)).toBe(1);
  });

  test('the same photograph added during the cloud check keeps the bytes', async () => {
    const { tablet, cloud, images } = await ashore(1);
    const second = await addSurvey(tablet, 'Another dive');
    cloud.instead = async ({ path }) => {
      if (path === '/api/ops') return new ReefError('internal');
      if (path === '/api/have') await tablet.repositories.census.images.addPhotograph(images[0]!.file, second);
      return undefined;
    };
    await free(tablet);
    expect(await here(tablet)).toBe(1);
    expect(await tablet.context.store.db.freed.count()).toBe(0);
  });

  test('the same photograph added during receipt verification keeps the bytes until ashore', async () => {
    const { tablet, cloud, images, clock } = await ashore(1);
    const second = await addSurvey(tablet, 'Another dive');
    await runUntil(clock, settled(tablet), 'the survey is ashore');
    const host = tablet.context.store.host as { verifySignature: TestTablet['host']['verifySignature'] };
    const verify = host.verifySignature;
    let isAdded = false;
    host.verifySignature = async (...of) => {
      // Trace signatures are verified first; the third signature is the receipt's.
      if (!isAdded && cloud.calls.at(-1)?.path === '/api/have') {
        isAdded = true;
        cloud.instead = ({ path }) => (path === '/api/ops' ? new ReefError('internal') : undefined);
        await tablet.repositories.census.images.addPhotograph(images[0]!.file, second);
      }
      return verify(...of);
    };
    await free(tablet);
    expect(isAdded).toBe(true);
    expect(await here(tablet)).toBe(1);
    cloud.instead = () => undefined;
    tablet.repositories.custody.sending.tryNow();
    await runUntil(clock, settled(tablet), 'both are ashore');
    await free(tablet);
    expect(await here(tablet)).toBe(0);
  });

  test('a cloud confirmation older than a minute frees nothing', async () => {
    const { tablet, cloud, clock } = await ashore(1);
    const fold = tablet.context.opIndex.follow.bind(tablet.context.opIndex);
    cloud.instead = async ({ path }) => {
      // Tablet sleeps after the answer arrives.
      if (path === '/api/have') tablet.context.opIndex.follow = async () => clock.advance(61_000).then(fold);
      return undefined;
    };
    await free(tablet);
    expect(await here(tablet)).toBe(1);
  });

  test('automatic freeing starts after seven days by the cloud’s clock, never earlier', async () => {
    const { tablet, clock, cloud } = await ashore(1);
    // Tablet clock is eight days ahead: it asks, and the cloud's time decides.
    clock.set(LIMITS.freeAfterMs + 24 * 3_600_000);
    cloud.ahead = -(LIMITS.freeAfterMs + 24 * 3_600_000);
    await clock.advance(3 * 3_600_000);
    await quiet(200);
    expect(await here(tablet)).toBe(1);
    cloud.ahead += LIMITS.freeAfterMs - 4 * 3_600_000;
    await clock.advance(3_600_000);
    await quiet(200);
    expect(await here(tablet)).toBe(1);
    cloud.ahead += 4 * 3_600_000;
    await clock.advance(2 * 3_600_000);
    await runUntil(clock, async () => (await here(tablet)) === 0, 'freed automatically');
    expect(await tablet.context.store.db.freed.toArray()).toMatchObject([{ by: 'time' }]);
  });

  test('a kill during freeing removes bytes and record together or not at all', async () => {
    const { tablet, cloud, clock, box } = await ashore(120);
    let portions = 0;
    cloud.instead = async ({ path }) => {
      // Tab dies during the request for the second portion.
      if (path === '/api/have' && ++portions === 2) await new Promise(() => undefined);
      return undefined;
    };
    void tablet.repositories.tablet.space.free();
    await runUntil(clock, () => portions === 2, 'the second portion');
    const { db } = tablet.context.store;
    const left = new Set(await db.blobs.toCollection().primaryKeys());
    const freed = await db.freed.toCollection().primaryKeys();
    expect([left.size, freed.length]).toEqual([70, 50]);
    expect(freed.some((sha256) => left.has(sha256))).toBe(false);
    cloud.instead = () => undefined;
    const { origin, database } = tablet;
    origin.locks = new (origin.locks.constructor as new () => typeof origin.locks)();
    const again = await openBeside(clock, box, {
      origin,
      database,
      fetch: (url, init) => (url.startsWith(cloud.origin) ? cloud.fetch(url, init) : box.fetch(url, init)),
    });
    await free(again);
    expect(await again.context.store.db.blobs.count()).toBe(0);
    expect(await again.context.store.db.freed.count()).toBe(120);
  });

  test('a rescue copy or a new cloud epoch ends the safe claim of freed photographs', async () => {
    const { tablet, clock, cloud, survey } = await ashore(1);
    await free(tablet);
    cloud.beginAnew();
    cloud.down = true;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'away');
    cloud.down = false;
    await runUntil(clock, () => tablet.context.opIndex.clouds[0]?.storeEpoch === cloud.storeEpoch, 'a new life');
    const at = tablet.repositories.custody.photographs.ofSurvey(survey);
    const stop = at.subscribe(() => undefined);
    await runUntil(clock, () => at.get().items[0]?.place === 'lost', 'not claimed to be safe');
    expect(at.get().items[0]?.reason?.message).toContain('storage has since been replaced');
    stop();
  });
});
