import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { newOrigin, nodeHost } from '../../../tests/support/tablet/tablet-host';
import type { Origin } from '../../../tests/support/tablet/tablet-host';
import { makeId } from '../../domain/ids';
import type { ImageId, Sha256 } from '../../domain/ids';
import type { OpDraft } from '../../domain/op/draft';
import { append, appendAll } from './append';
import type { BlobAttachment } from './append';
import { OpsStore } from './ops-store';

let names = 0;
async function tabs(
  count: number,
  origin: Origin = newOrigin(),
): Promise<{ stores: OpsStore[]; origin: Origin; name: string }> {
  const name = `append-${names++}`;
  const stores = await Promise.all(Array.from({ length: count }, () => OpsStore.open(nodeHost({ origin }), name)));
  return { stores, origin, name };
}

function photograph(store: OpsStore, content: string): { draft: OpDraft; attachment: BlobAttachment; id: ImageId } {
  const id = makeId<ImageId>(store.host.randomBytes);
  const blob = new Blob([content], { type: 'image/jpeg' });
  const sha256 = createHash('sha256').update(content).digest('hex') as Sha256;
  const draft: OpDraft = {
    v: 1,
    kind: 'image',
    docId: id,
    madeAt: store.isoNow(),
    schema: 1,
    body: { id, sha256, bytes: blob.size },
  };
  return {
    id,
    draft,
    attachment: {
      blob: { sha256, bytes: blob.size, type: 'image/jpeg', blob },
      preview: { picture: new Blob(['small']) },
    },
  };
}

async function counts(store: OpsStore): Promise<Record<string, number>> {
  const { ops, blobs, previews, dirty } = store.db;
  return {
    ops: await ops.count(),
    blobs: await blobs.count(),
    previews: await previews.count(),
    dirty: await dirty.count(),
    counter: (await store.getMeta('counter')) ?? -1,
  };
}

describe('protocol: append on the tablet', () => {
  test('one transaction holds bytes, preview, operation and counter', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft, attachment } = photograph(store!, 'reef');
    const op = await append(store!, draft, attachment);
    expect(op.lc).toBe(1);
    expect(await counts(store!)).toEqual({ ops: 1, blobs: 1, previews: 1, dirty: 1, counter: 1 });
    expect(await (await store!.db.blobs.get(attachment.blob.sha256))!.blob.text()).toBe('reef');
  });

  test.each(['ops', 'previews', 'dirty', 'meta'] as const)('a failure at %s leaves nothing', async (table) => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft, attachment } = photograph(store!, 'reef');
    const fail = (): never => {
      throw new Error('the tab was killed here');
    };
    store!.db[table].hook('creating', fail);
    store!.db[table].hook('updating', fail);
    await expect(append(store!, draft, attachment)).rejects.toThrow('killed here');
    store!.db[table].hook('creating').unsubscribe(fail);
    store!.db[table].hook('updating').unsubscribe(fail);
    expect(await counts(store!)).toEqual({ ops: 0, blobs: 0, previews: 0, dirty: 0, counter: 0 });
  });

  test('a full disk is storage-full, and nothing is half stored', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft, attachment } = photograph(store!, 'reef');
    const full = (): never => {
      throw new DOMException('no room', 'QuotaExceededError');
    };
    store!.db.ops.hook('creating', full);
    await expect(append(store!, draft, attachment)).rejects.toMatchObject({ code: 'storage-full' });
    store!.db.ops.hook('creating').unsubscribe(full);
    expect(await counts(store!)).toEqual({ ops: 0, blobs: 0, previews: 0, dirty: 0, counter: 0 });
  });

  test('bytes that read back differently are not saved', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft, attachment } = photograph(store!, 'reef');
    store!.db.blobs.hook('creating', (_key, row) => {
      (row as { blob: Blob }).blob = new Blob(['reeF']);
    });
    await expect(append(store!, draft, attachment)).rejects.toMatchObject({ code: 'hash-mismatch' });
    expect(await counts(store!)).toMatchObject({ ops: 0, blobs: 0, previews: 0, counter: 1 });
  });

  test('a group is one transaction: if one fails, none is stored', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const entries = ['a', 'b', 'c'].map((content) => photograph(store!, content));
    let left = 2;
    const fail = (): void => {
      if (--left < 0) throw new Error('the tab was killed here');
    };
    store!.db.ops.hook('creating', fail);
    await expect(appendAll(store!, entries)).rejects.toThrow('killed here');
    store!.db.ops.hook('creating').unsubscribe(fail);
    expect(await counts(store!)).toEqual({ ops: 0, blobs: 0, previews: 0, dirty: 0, counter: 0 });
    const ops = await appendAll(store!, entries);
    expect(ops.map(({ docId }) => docId)).toEqual(entries.map(({ id }) => id));
    expect(await counts(store!)).toEqual({ ops: 3, blobs: 3, previews: 3, dirty: 3, counter: 3 });
  });

  test('a group is rolled back if one item reads back differently', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    store!.db.blobs.hook('creating', (_key, row) => {
      if ((row as { sha256: string }).sha256 === createHash('sha256').update('b').digest('hex'))
        (row as { blob: Blob }).blob = new Blob(['B']);
    });
    await expect(
      appendAll(
        store!,
        ['a', 'b', 'c'].map((content) => photograph(store!, content)),
      ),
    ).rejects.toMatchObject({ code: 'hash-mismatch' });
    expect(await counts(store!)).toMatchObject({ ops: 0, blobs: 0, previews: 0, counter: 3 });
  });

  test('queued photographs share a transaction, and one failure leaves the others saved', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const transactions = vi.spyOn(store!.db, 'transaction');
    const entries = ['a', 'b', 'c', 'd', 'e'].map((content) => photograph(store!, content));
    await Promise.all(entries.map(({ draft, attachment }) => append(store!, draft, attachment)));
    expect(transactions.mock.calls.length).toBeLessThan(entries.length);
    expect(await counts(store!)).toEqual({ ops: 5, blobs: 5, previews: 5, dirty: 5, counter: 5 });
    const bad = photograph(store!, 'bad');
    store!.db.ops.hook('creating', (_key, row) => {
      if (row.docId === bad.id) throw new DOMException('no room', 'QuotaExceededError');
    });
    const more = [photograph(store!, 'f'), photograph(store!, 'g'), bad, photograph(store!, 'h')];
    const results = await Promise.allSettled(more.map(({ draft, attachment }) => append(store!, draft, attachment)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(results[2]).toMatchObject({ reason: { code: 'storage-full' } });
    expect(await counts(store!)).toMatchObject({ ops: 8, blobs: 8, counter: 8 });
  });

  test('the counter never repeats a number, whichever tab writes', async () => {
    const { stores } = await tabs(2);
    const ops = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const store = stores[i % 2]!;
        const { draft } = photograph(store, `p${i}`);
        return append(store, draft);
      }),
    );
    expect(new Set(ops.map(({ opId }) => opId)).size).toBe(20);
    expect(new Set(ops.map(({ opId }) => opId.split('-')[0])).size).toBe(1);
    expect(await stores[0]!.getMeta('counter')).toBe(20);
  });

  test('lc is one more than the greatest that this device knows', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft } = photograph(store!, 'reef');
    await append(store!, draft);
    expect((await append(store!, { ...draft, over: {} })).lc).toBe(2);
  });

  test('an invalid draft is refused before anything is stored', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft } = photograph(store!, 'reef');
    await expect(append(store!, { ...draft, docId: 'another0123456789' })).rejects.toMatchObject({
      code: 'bad-message',
    });
    await expect(append(store!, { ...draft, body: { ...draft.body, path: '\ud800' } })).rejects.toMatchObject({
      code: 'bad-message',
    });
    expect(await counts(store!)).toMatchObject({ ops: 0, counter: 0 });
  });

  test('a lost storage connection is reopened, and the operation is stored once', async () => {
    const {
      stores: [store],
    } = await tabs(1);
    const { draft, attachment } = photograph(store!, 'reef');
    let lost = false;
    const transaction = store!.db.transaction.bind(store!.db) as (...args: unknown[]) => Promise<unknown>;
    store!.db.transaction = (async (...args: unknown[]) => {
      const result = await transaction(...args);
      if (!lost && args[0] === 'rw') {
        lost = true;
        // The commit succeeded, but its result was lost.
        throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
      }
      return result;
    }) as never;
    await append(store!, draft, attachment);
    expect(lost).toBe(true);
    expect(await counts(store!)).toMatchObject({ ops: 1, counter: 1 });
  });

  test('emptied storage is detected at start', async () => {
    const { origin, name } = await tabs(1);
    const before = origin.marker;
    expect(before).not.toBeNull();
    const emptied: Origin = { ...newOrigin(), marker: before };
    const store = await OpsStore.open(nodeHost({ origin: emptied }), name);
    expect(await store.getMeta('wiped')).toMatchObject({ foundAt: expect.stringMatching(/Z$/) as string });
    const again = await OpsStore.open(nodeHost({ origin: newOrigin() }), 'fresh');
    expect(await again.getMeta('wiped')).toBeUndefined();
  });
});
