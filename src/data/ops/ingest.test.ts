import { afterEach, expect, test } from 'vitest';
import { draftFirst } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import type { Receipt } from '../../protocol/receipt';
import { nodeHost } from '../../../tests/support/tablet/tablet';
import { append } from './append';
import { ingestPage } from './ingest';
import { OpIndex } from './op-index';
import { OpsStore } from './ops-store';
import { reissueUnsent } from './reissue-unsent';

const opened: { close: () => void }[] = [];
afterEach(() => opened.splice(0).forEach((one) => one.close()));

const survey = (id: string) =>
  draftFirst('survey', { id, name: 'Dive' }, { madeAt: '2026-11-22T09:30:00.000Z', schema: 1 });
const box = { nodeId: 'box0000000000001', storeEpoch: 'epoch00000000001' };
const shore = { nodeId: 'shore00000000001', storeEpoch: 'epoch00000000002' };

test.each([
  ['of that box', box],
  ['of the shore', shore],
])(
  'another’s work under this tablet’s next number, known before by a receipt %s, stops no feed and no save',
  async (_of, from) => {
    const store = await OpsStore.open(nodeHost(), 'ingest-ops');
    const opIndex = new OpIndex(store);
    opened.push(opIndex, store);
    await opIndex.start();
    const own = await append(store, survey('survey0000000001'));
    await opIndex.follow();
    const deviceId = await store.getMeta('deviceId');
    const taken = {
      ...own,
      opId: `${deviceId}-2`,
      docId: 'survey0000000002',
      body: { id: 'survey0000000002' },
    } as unknown as Op;
    const receipt = {
      v: 1,
      stage: from === box ? 'edge' : 'cloud',
      ...from,
      opId: taken.opId,
      kind: 'survey',
      docId: taken.docId,
      sha256: taken.sha256,
      accepted: true,
      seq: 1,
      storedAt: '2026-11-22T09:30:00.000Z',
      kid: 'key',
      sig: 'sig',
    } as Receipt;
    // The shore shows a tablet only the receipt of what others submitted in its name.
    await ingestPage(store, opIndex, [], [receipt], { ...from, next: 1 });
    const page = () => ingestPage(store, opIndex, [{ op: taken, by: null }], [], { ...box, next: 2 });
    expect(await page(), 'the tablet takes a new id').toEqual({
      result: 'clash',
      opIds: [taken.opId],
      isElsewhere: false,
    });
    await reissueUnsent(store, deviceId!, () => false);
    await opIndex.follow();
    expect(await page()).toMatchObject({ result: 'taken' });
    for (const id of ['survey0000000003', 'survey0000000004']) await append(store, survey(id));
    expect((await store.db.ops.toArray()).filter((row) => row.own)).toHaveLength(3);
  },
);
