import { afterEach, describe, expect, test } from 'vitest';
import { draftFirst, documentStateOf } from '../../../src/domain/op/draft';
import type { Receipt } from '../../../src/protocol/receipt';
import { append } from '../../../src/data/ops/append';
import { effectiveOps } from '../../../src/data/ops/effective-ops';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { ManualClock, newOrigin, photograph, quiet } from '../../support/tablet/tablet';
import {
  addSurvey as survey,
  closeTablets,
  custodyAt as custody,
  openBeside as open,
  runUntil,
  scene,
  settled,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

describe('protocol: the sender', () => {
  test('items are sent in order: profile, survey, image (path, binary, record), analysis', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const { id: imageId } = await tablet.repositories.census.images.addPhotograph(photograph(1), id);
    const analysisId = 'analysis00000001';
    await append(
      tablet.context.store,
      draftFirst(
        'analysis',
        { id: analysisId, image: { id: imageId } },
        { madeAt: tablet.context.store.isoNow(), schema: 1 },
      ),
    );
    await tablet.context.opIndex.follow();
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'all sent');
    expect(box.events()).toEqual(['profile', 'survey', 'image:path', 'image:binary', 'image:record', 'analysis']);
    expect(custody(tablet, 'image', imageId)).toMatchObject({ status: 'box', node: 'Scripted' });
  });

  test('the connection closes when nothing listens and nothing is owed', async () => {
    const { clock, box, tablet } = await scene();
    await survey(tablet);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'all sent');
    await quiet(100);
    expect(tablet.context.edgeLink.current).toBeUndefined();
    expect(tablet.context.edgeLink.state.get()).toEqual({ status: 'idle' });
  });

  test.each<[string, (receipt: Receipt, box: ScriptedBox) => unknown]>([
    ['opId', (receipt, box) => box.signed({ ...receipt, opId: 'another000000000-1' })],
    ['docId', (receipt, box) => box.signed({ ...receipt, docId: 'another000000000' })],
    ['kind', (receipt, box) => box.signed({ ...receipt, kind: 'analysis' })],
    ['author', (receipt, box) => box.signed({ ...receipt, by: 'another000000000' })],
    ['hash', (receipt, box) => box.signed({ ...receipt, sha256: '0'.repeat(64) })],
    ['blob', (receipt, box) => box.signed({ ...receipt, blob: { sha256: '0'.repeat(64), bytes: 1 } })],
    ['store epoch', (receipt, box) => box.signed({ ...receipt, storeEpoch: 'another000000000' })],
    ['node', (receipt, box) => box.signed({ ...receipt, nodeId: 'another000000000' })],
    ['key', (receipt) => ({ ...receipt, kid: 'nobody' })],
    ['signature', (receipt) => ({ ...receipt, seq: receipt.seq + 1 })],
    ['shape', () => ({ hello: true })],
  ])('a receipt with a wrong %s frees nothing, and the item is sent again', async (_what, lie) => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    box.misbehave = (event) => (event === 'survey' ? { tamper: (receipt) => lie(receipt, box) } : undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => tablet.context.sync.sender.delays.size > 0, 'the tries used up');
    const tries = box.heard.filter(({ event }) => event === 'survey').map(({ at }) => at);
    expect(tries.map((at) => at - tries[0]!)).toEqual([0, 1000, 3000, 7000]);
    expect(custody(tablet, 'survey', id)).toMatchObject({ status: 'tablet', problem: { code: 'receipt-mismatch' } });
    expect(await tablet.context.store.db.receipts.count()).toBe(1);
    box.misbehave = () => undefined;
    await runUntil(clock, settled(tablet), 'resumed');
    expect(custody(tablet, 'survey', id)).toMatchObject({ status: 'box' });
  });

  test('1§9: 30 s without an answer time out; retries after 1, 2, 4 s, then the item stays queued', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    box.misbehave = (event) => (event === 'survey' ? { silent: true } : undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => tablet.context.sync.sender.delays.size > 0, 'the tries used up');
    const tries = box.heard.filter(({ event }) => event === 'survey').map(({ at }) => at);
    expect(tries.map((at) => at - tries[0]!)).toEqual([0, 31_000, 63_000, 97_000]);
    expect(custody(tablet, 'survey', id)).toMatchObject({ status: 'tablet', problem: { code: 'timeout' } });
    expect(tablet.repositories.edge.link.connectivity.get().slow).toBe(true);
    box.misbehave = () => undefined;
    await runUntil(clock, settled(tablet), 'sent');
  });

  test('a full box refuses photographs and accepts documents', async () => {
    const { clock, box, tablet } = await scene();
    const first = await survey(tablet);
    const { id: imageId } = await tablet.repositories.census.images.addPhotograph(photograph(1), first);
    box.misbehave = (event) => (event === 'image:path' ? { error: 'storage-full' } : undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => tablet.context.sync.sender.delays.size > 0, 'the box reports that it is full');
    expect(custody(tablet, 'image', imageId)).toMatchObject({ status: 'tablet', problem: { code: 'storage-full' } });
    const second = await survey(tablet, 'Dive 2');
    await runUntil(clock, () => custody(tablet, 'survey', second).status === 'box', 'the document got in');
    box.misbehave = () => undefined;
    await runUntil(clock, settled(tablet), 'the photograph went');
  });

  test('an image waits for its survey’s receipt, and a refused survey is held alone', async () => {
    const { clock, box, tablet } = await scene();
    const refused = await survey(tablet);
    const { id: waiting } = await tablet.repositories.census.images.addPhotograph(photograph(1), refused);
    const good = await survey(tablet, 'Dive 2');
    const { id: goes } = await tablet.repositories.census.images.addPhotograph(photograph(2), good);
    box.misbehave = (event, message) =>
      event === 'survey' && (message['op'] as { docId: string }).docId === refused
        ? { error: 'unlinked-survey' }
        : undefined;
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custody(tablet, 'image', goes).status === 'box', 'the other image');
    expect(custody(tablet, 'survey', refused)).toMatchObject({ status: 'held', reason: { code: 'unlinked-survey' } });
    expect(custody(tablet, 'image', waiting)).toEqual({ status: 'tablet' });
    expect(box.heard.some(({ event, message }) => event === 'image:path' && message['imageId'] === waiting)).toBe(
      false,
    );
    const stop = tablet.repositories.custody.sending.held.subscribe(() => undefined);
    expect(tablet.repositories.custody.sending.held.get().items.map(({ docId }) => docId)).toEqual([refused]);
    stop();
    box.misbehave = () => undefined;
    await tablet.repositories.custody.sending.releaseHeld(tablet.context.opIndex.entriesOf('survey', refused)[0]!.opId);
    await runUntil(clock, settled(tablet), 'released and sent');
  });

  test('a hash-mismatch restarts from the first byte once, then holds the item', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const { id: imageId } = await tablet.repositories.census.images.addPhotograph(photograph(1), id);
    box.misbehave = (event) =>
      event === 'image:binary' ? { error: 'hash-mismatch', details: { offset: 0 } } : undefined;
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custody(tablet, 'image', imageId).status === 'held', 'held');
    expect(box.events().filter((event) => event === 'image:binary')).toHaveLength(2);
    expect(custody(tablet, 'image', imageId)).toMatchObject({ status: 'held', reason: { code: 'hash-mismatch' } });
  });

  test('a copy damaged in the tablet’s storage is reported as damaged here', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const { id: imageId, sha256 } = await tablet.repositories.census.images.addPhotograph(photograph(1), id);
    const row = (await tablet.context.store.db.blobs.get(sha256))!;
    await tablet.context.store.db.blobs.put({ ...row, blob: new Blob([new Uint8Array(row.bytes)]) });
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custody(tablet, 'image', imageId).status === 'held', 'held');
    expect(custody(tablet, 'image', imageId)).toMatchObject({
      status: 'held',
      reason: { code: 'hash-mismatch', field: 'storage' },
    });
    expect(box.bytes.size).toBe(0);
    await expect(tablet.repositories.census.images.original(sha256)).rejects.toMatchObject({ code: 'hash-mismatch' });
  });

  test('a cut costs at most one chunk, and sending resumes at the box’s offset', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const file = photograph(1, 2_000_000);
    const { sha256 } = await tablet.repositories.census.images.addPhotograph(file, id);
    box.misbehave = (event, _message, nth) => (event === 'image:binary' && nth % 2 === 0 ? { cut: true } : undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent through the cuts');
    const sent = box.heard.filter(({ event }) => event === 'image:binary');
    const cuts = sent.filter((_, i) => i % 2 === 1);
    expect(cuts.length).toBeGreaterThan(1);
    expect(sent.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(
      file.size + cuts.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    expect(box.bytes.get(sha256)!.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  test('a wrong offset is corrected by the box’s answer', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    await tablet.repositories.census.images.addPhotograph(photograph(1, 900_000), id);
    box.misbehave = (event, _message, nth) =>
      event === 'image:binary' && nth === 2 ? { error: 'offset-mismatch', details: { offset: 0 } } : undefined;
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    expect(box.bytes.size).toBe(1);
  });

  test('a new store epoch voids the old receipts, and everything is offered again', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const { id: imageId } = await tablet.repositories.census.images.addPhotograph(photograph(1), id);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    box.beginAnew();
    await tablet.repositories.edge.link.check();
    await runUntil(clock, () => box.ops.size === 3 && settled(tablet)(), 'sent again');
    expect(box.bytes.size).toBe(1);
    expect(custody(tablet, 'image', imageId)).toMatchObject({ status: 'box' });
  });

  test('a connection verified against the old store ends, and owed items go to the new one', async () => {
    const { clock, box, tablet } = await scene();
    await survey(tablet);
    const stop = tablet.repositories.edge.link.state.subscribe(() => undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    expect(tablet.context.edgeLink.current).toBeDefined();
    box.beginAnew();
    await tablet.repositories.edge.link.check();
    await runUntil(clock, () => box.ops.size === 2 && settled(tablet)(), 'sent again');
    expect(tablet.context.edgeLink.current?.edge.storeEpoch).toBe(box.storeEpoch);
    stop();
  });

  test('a session unknown to the box blocks nothing', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    box.knownSessions.clear();
    await survey(tablet);
    await runUntil(clock, settled(tablet), 'sent');
    expect(box.ops.size).toBe(2);
  });

  test('a pause takes effect after the current chunk and survives a restart until resumed', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    await tablet.repositories.census.images.addPhotograph(photograph(1, 1_500_000), id);
    box.misbehave = (event) => {
      if (event === 'image:binary') tablet.context.sync.sender.setPaused(true);
      return undefined;
    };
    await tablet.repositories.edge.link.pair(box.origin);
    await tablet.repositories.custody.sending.pause();
    await quiet(300);
    await tablet.repositories.custody.sending.resume();
    await runUntil(clock, () => box.events().includes('image:binary'), 'the first chunk');
    await tablet.repositories.custody.sending.pause();
    await quiet(300);
    const before = box.heard.length;
    await clock.advance(120_000);
    expect(box.heard.length).toBe(before);
    expect(tablet.repositories.custody.sending.facts.get().state).toBe('paused');
    await tablet.close();

    box.misbehave = () => undefined;
    const again = await open(clock, box, { origin: tablet.origin, database: tablet.database });
    await quiet(300);
    expect(again.repositories.custody.sending.facts.get().state).toBe('paused');
    await again.repositories.custody.sending.resume();
    await runUntil(clock, settled(again), 'sent');
    expect(box.bytes.size).toBe(1);
  });

  test('the screen shows sending from the first item to the last, without a change between two', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    for (let n = 1; n <= 5; n++) await tablet.repositories.census.images.addPhotograph(photograph(n), id);
    await tablet.repositories.edge.link.pair(box.origin);
    const states: string[] = [];
    const { facts } = tablet.repositories.custody.sending;
    const stop = facts.subscribe(() => {
      if (facts.get().state !== states.at(-1)) states.push(facts.get().state);
    });
    await runUntil(clock, settled(tablet), 'all sent');
    stop();
    expect(states.slice(states.indexOf('sending'))).toEqual(['sending', 'done']);
  });

  test('at most two images are sent at a time', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    for (let i = 0; i < 6; i++) await tablet.repositories.census.images.addPhotograph(photograph(i, 600_000), id);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    expect(box.uploadsAtOnce.greatest).toBe(2);
    expect(box.bytes.size).toBe(6);
  });

  test('one tab sends, and another takes over when it closes', async () => {
    const clock = new ManualClock();
    const box = new ScriptedBox(clock.now);
    const origin = newOrigin();
    const first = await open(clock, box, { origin });
    await quiet(50);
    const second = await open(clock, box, { origin, database: first.database });
    const id = await survey(second);
    await second.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(second), 'sent by the first');
    expect(second.context.sync.sendingTab.get()).toBe('elsewhere');
    expect(first.context.sync.sendingTab.get()).toBe('here');
    await first.close();
    await second.repositories.census.images.addPhotograph(photograph(1), id);
    await runUntil(clock, settled(second), 'sent by the second');
    expect(second.context.sync.sendingTab.get()).toBe('here');
    expect(box.heard.filter(({ event }) => event === 'survey')).toHaveLength(1);
  });

  test('a restored tablet takes a new id and reissues its unsent ops after a number clash', async () => {
    const { clock, box, tablet } = await scene();
    const { store } = tablet.context;
    const id = await survey(tablet);
    await tablet.repositories.census.surveys.edit(id, { name: 'Dive one' });
    const rows = [...(await effectiveOps(store, [['survey', id]]))].sort((a, b) => a.n - b.n);
    const old = rows[0]!.opId.split('-')[0];
    // Other operation that the box has under the survey's first number, from before the restore.
    const other = { ...rows[0]!.op, docId: 'earlier000000000', body: { ...rows[0]!.op.body, id: 'earlier000000000' } };
    const sha256 = await store.host.sha256((await import('../../../src/protocol/hash')).hashedText(other.body));
    box.write({ ...other, sha256: sha256 as typeof other.sha256 });
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    const own = await effectiveOps(store, [['survey', id]]);
    expect(own.every(({ opId }) => !opId.startsWith(`${old}-`))).toBe(true);
    const folded = documentStateOf(
      'survey',
      id,
      own.map(({ op }) => op),
    ).folded;
    expect(folded.doc['name']).toBe('Dive one');
    expect(folded.conflicts).toEqual([]);
    expect([...box.ops.values()].filter(({ docId }) => docId === id)).toHaveLength(2);
    expect(await store.getMeta('deviceId')).not.toBe(old);
  });

  test('what the box had before the restore keeps its number, and an edit made since replaces it there', async () => {
    const { clock, box, tablet } = await scene();
    const { store } = tablet.context;
    const id = await survey(tablet);
    for (const name of ['Dive one', 'Dive two']) await tablet.repositories.census.surveys.edit(id, { name });
    const rows = [...(await effectiveOps(store, [['survey', id]]))].sort((a, b) => a.n - b.n);
    const [, before, since] = rows.map(({ op }) => op);
    // Written after the copy from which the tablet was restored: lost here, and the last edit got its number.
    const lost = { ...since!, docId: 'earlier000000000', body: { ...since!.body, id: 'earlier000000000' }, over: {} };
    const sha256 = await store.host.sha256((await import('../../../src/protocol/hash')).hashedText(lost.body));
    box.write(before!);
    // The tablet reads what the box has while it waits for this answer.
    box.misbehave = (event, message) => {
      const isBefore = event === 'survey' && (message['op'] as typeof before)?.opId === before!.opId;
      if (isBefore) box.misbehave = () => undefined;
      return isBefore ? { silent: true } : undefined;
    };
    box.write({ ...lost, sha256: sha256 as typeof lost.sha256 });
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    const there = [...box.ops.values()].filter(({ docId }) => docId === id);
    expect(there.map(({ body }) => body['name']).sort()).toEqual([rows[0]!.op.body['name'], 'Dive one', 'Dive two']);
    const { folded } = documentStateOf('survey', id, there);
    expect([folded.doc['name'], folded.conflicts]).toEqual(['Dive two', []]);
  });
});
