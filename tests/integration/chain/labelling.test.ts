import { expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { NextImage, TraceImage } from '../../../src/data/repositories';
import { readLabelRecord } from '../../../src/domain/analysis/labelling/label-record';
import type { LabelEdit } from '../../../src/domain/analysis/labelling/label-marks';
import { canonicalJson } from '../../../src/domain/canonical';
import type { AnalysisId, ImageId } from '../../../src/domain/ids';
import { makeColonies } from '../../support/pictures';
import { tempFolder } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, surveyOp } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { fixedSegmenter, labelled } from '../../support/tablet/labelling';
import type { RealTablet } from '../../support/tablet/real-scene';
import { edge, survey, tablet } from '../../support/tablet/real-scene';
import { newOrigin, until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const LABELS = { version: 2.4, isExpert: false };

const imageOf = (next: NextImage): TraceImage => {
  if ('none' in next) throw new Error(next.none);
  return next.image;
};

async function shoreWith(photographs: number): Promise<{ shore: TestCloud; ids: readonly ImageId[] }> {
  const shore = await startCloud();
  closers.push(() => shore.close());
  const op = surveyOp();
  const contents = await Promise.all(Array.from({ length: photographs }, (_, n) => makeColonies(n)));
  const images = contents.map((content) => imageOp(op.docId, content));
  for (const content of contents) await shore.upload(content);
  await shore.ops([op, ...images], 'Box0000000000001');
  for (const { docId } of images) await outlinedAshore(shore, docId);
  return { shore, ids: images.map(({ docId }) => docId as ImageId) };
}

const outlinedAshore = (shore: TestCloud, id: string): Promise<unknown> =>
  until(
    async () => (await shore.cloud.context.store.document('image', id))?.owned['ml'] === true,
    'outlines ashore',
    120_000,
  );

const ashore = (shore: TestCloud, id: AnalysisId) =>
  until(
    async () => (await shore.cloud.context.store.document('analysis', id)) ?? undefined,
    'the labels ashore',
    120_000,
  );

/** Operation of an analysis as this tablet has it. */
async function ownOp(of: RealTablet, id: AnalysisId) {
  const [entry, ...others] = of.context.opIndex.entriesOf('analysis', id);
  expect(others).toEqual([]);
  return (await of.context.store.db.ops.get(entry!.opId))!.op;
}

test('2§4 a census photograph is labelled offline, killed in the fourth label, and is ashore once', async () => {
  const { shore, ids } = await shoreWith(2);
  const way = { open: true };
  const origin = newOrigin();
  const options = {
    origin,
    database: 'labels-ashore',
    segmenter: fixedSegmenter(),
    fetch: (url: string | URL | Request, init?: RequestInit) =>
      way.open ? fetch(url, init) : Promise.reject(new TypeError('no way')),
  };
  const one = await tablet(options);
  const { account, census, edge: box, usage } = one.repositories;
  await account.signIn.pinCloud(shore.url);
  await account.signIn.sendCode('ana@example.org');
  const code = await until(() => codeIn(outboxMails(shore.outbox), 'ana@example.org'), 'the code');
  await account.signIn.withCode('ana@example.org', code);
  await until(() => box.link.connectivity.get().answering === 'www', 'the shore answers');
  const { analyses } = census;
  const wanted = { isExpert: false, labels: { regionId: 'gbr' as const } };
  const image = imageOf(await analyses.next({ ...wanted, except: [] }));
  expect(ids).toContain(image.id);
  await analyses.preload(image, { isExpert: false });
  const next = imageOf(await analyses.next({ ...wanted, except: [image.id] }));
  await analyses.preload(next, { isExpert: false });

  way.open = false;
  const work = await analyses.labelling(image, LABELS);
  expect(work).toMatchObject({ from: 'nothing', outlines: { source: 'segmentation', width: 600, height: 400 } });
  const { outlines } = work.outlines;
  expect(outlines.length).toBeGreaterThan(0);
  const edits = outlines.map(({ id }, n): LabelEdit => ({
    step: 'labels',
    kind: 'add',
    mark: { kind: 'label', since: 1000 + n, outline: id, label: n % 2 === 0 ? 'branching' : 'background' },
  }));
  const journal = analyses.labelJournal(image);
  for (const edit of edits.slice(0, 3)) await journal.apply(edit);
  one.context.store.db.journals.hook('creating', () => {
    throw new Error('killed');
  });
  await expect(journal.apply(edits[0]!)).rejects.toThrow();

  const again = await tablet(options);
  const { analyses: later } = again.repositories.census;
  const there = await later.image(image.survey.id, image.id);
  const unsaved = await later.labelling(there, LABELS);
  expect(unsaved).toMatchObject({ from: 'unfinished', outlines: work.outlines, damaged: 0 });
  expect(unsaved.logs.labels?.marks).toHaveLength(Math.min(3, edits.length));
  for (const edit of edits.slice(3)) await later.labelJournal(there).apply(edit);
  const all = await later.labelling(there, LABELS);
  const id = await later.saveLabelling(labelled(there, all, { eventTags: ['reefweek'] }));
  // The next one was fetched ahead.
  expect((await later.labelling(next, LABELS)).outlines.source).toBe('segmentation');
  expect((await later.picture(next, 2000)).blob.size).toBeGreaterThan(1000);

  way.open = true;
  usage.note('analysis_complete', { version: 2.4 });
  await again.repositories.edge.link.check();
  const stored = await ashore(shore, id);
  expect(stored.folded.doc).toMatchObject({ version: 2.4, eventTags: ['reefweek'], image: { id: image.id } });
  const read = readLabelRecord(stored.folded.doc);
  expect(read).toMatchObject({ kind: 'labels', set: work.outlines });
  expect(read.kind === 'labels' && read.logs.labels?.marks).toHaveLength(edits.length);
  const { entries } = await shore.changes(0);
  const own = await ownOp(again, id);
  const sent = entries.filter(({ op }) => op?.docId === id);
  expect(sent.map(({ op }) => canonicalJson(op as never))).toEqual([canonicalJson(own as never)]);
  const { body } = await shore.get<{ items: object[] }>(
    `/api/query/user-analyses?uid=${again.repositories.account.people.current.get()!.uid}`,
    STAFF_TOKEN,
  );
  expect(body.items).toMatchObject([{ id, version: 2.4 }]);
  const { rows } = await until(async () => {
    const found = await shore.cloud.context.database.pool.query<{ name: string }>('SELECT name FROM analytics_events');
    return found.rows.length > 0 ? found : undefined;
  }, 'the event ashore');
  expect(rows).toEqual([{ name: 'analysis_complete' }]);
  expect(imageOf(await later.next({ ...wanted, except: [] })).id).toBe(next.id);
});

test('2§4 a photograph aboard is labelled over outlines that the bridge brought, and is ashore once', async () => {
  const shore = await startCloud();
  const folder = tempFolder('labelling-aboard');
  const box = await edge();
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', shore.url], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: (await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body
      .token,
    EDGE_ADMIN_TOKEN: box.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { cloudPollMs: 0, outlinesMs: 0, outlinesMaxMs: 0 },
  });
  closers.push(async () => {
    close();
    await shore.close();
    folder.remove();
  });
  const segmenter = fixedSegmenter();
  const one = await tablet({ segmenter });
  const surveyId = await survey(one);
  const file = new File([new Uint8Array(await makeColonies(7))], 'G1.JPG', { type: 'image/jpeg' });
  const { id: imageId } = await one.repositories.census.images.addPhotograph(file, surveyId);
  await one.repositories.edge.link.pair(box.url, box.code);
  const { analyses } = one.repositories.census;
  const image = imageOf(await analyses.next({ isExpert: false, labels: { regionId: 'gbr' }, except: [] }));
  expect(image.id).toBe(imageId);
  await until(
    async () => {
      await bridge.step(new AbortController().signal);
      const answer = await fetch(`${box.url}/edge/outlines`, {
        headers: { authorization: `Bearer ${box.adminToken}` },
      });
      const owned = (await shore.cloud.context.store.document('image', imageId))?.owned['ml'];
      return owned === true && ((await answer.json()) as { wanted: unknown[] }).wanted.length === 0;
    },
    'outlines aboard',
    120_000,
  );
  const work = await analyses.labelling(image, LABELS);
  expect(work.outlines).toMatchObject({ width: 600, height: 400 });
  expect(segmenter.asked).toBe(0);
  const [first] = work.outlines.outlines;
  await analyses
    .labelJournal(image)
    .apply({ step: 'labels', kind: 'add', mark: { kind: 'label', since: 1, outline: first!.id, label: 'massive' } });
  one.repositories.usage.note('analysis', { version: 2.4 });
  const id = await analyses.saveLabelling(labelled(image, await analyses.labelling(image, LABELS)));
  await until(
    async () => {
      await bridge.step(new AbortController().signal);
      return (await shore.cloud.context.store.document('analysis', id)) ?? undefined;
    },
    'the labels ashore',
    120_000,
  );
  const stored = await ashore(shore, id);
  expect(readLabelRecord(stored.folded.doc)).toMatchObject({ kind: 'labels', set: work.outlines });
  const { rows } = await shore.cloud.context.database.pool.query('SELECT FROM ops WHERE doc_id = $1', [id]);
  expect(rows).toHaveLength(1);
});
