import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { SurveyId } from '../../src/domain/ids';
import type { PhotographView } from '../../src/data/repositories/index';
import type { TestEdge } from '../support/edge';
import { startEdge } from '../support/edge';
import type { TestTabletOptions } from '../support/tablet';
import { openTestTablet, photograph, until } from '../support/tablet';

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function edge(options: Parameters<typeof startEdge>[0] = {}): Promise<TestEdge> {
  const started = await startEdge(options);
  closers.push(() => started.remove());
  return started;
}

async function tablet(options: TestTabletOptions = {}): Promise<TestTablet> {
  const opened = await openTestTablet(options);
  closers.push(() => opened.close());
  return opened;
}

async function survey({ repositories }: TestTablet): Promise<SurveyId> {
  if (repositories.people.current.get() === null) await repositories.people.enter({ name: { first: 'Ana', last: 'Reef' }, email: 'ana@example.org' });
  return repositories.surveys.add({ name: 'Dive 1', date: '2026-11-20', type: 'scuba', location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' } });
}

function watchPhotographs({ repositories }: TestTablet, id: SurveyId): () => readonly PhotographView[] {
  const live = repositories.images.ofSurvey(id);
  const stop = live.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => live.get().items;
}

async function blobHash(box: TestEdge, sha256: string): Promise<string> {
  const response = await fetch(`${box.url}/edge/blobs/${sha256}`, { headers: { authorization: `Bearer ${box.adminToken}` } });
  expect(response.status).toBe(200);
  return createHash('sha256').update(Buffer.from(await response.arrayBuffer())).digest('hex');
}

async function feed(box: TestEdge): Promise<{ op?: { opId: string; kind: string; docId: string } }[]> {
  const response = await fetch(`${box.url}/edge/changes?since=0&limit=1000`, { headers: { authorization: `Bearer ${box.adminToken}` } });
  return ((await response.json()) as { entries: { op?: { opId: string; kind: string; docId: string } }[] }).entries;
}

describe('protocol: a photograph goes from the tablet to the box', () => {
  test('what was added offline reaches the box once, byte for byte, and its receipt shows as Box', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const files = [photograph(1), photograph(2, 1_500_000), photograph(3, 70_000)];
    const added = [];
    for (const file of files) added.push(await one.repositories.images.addPhotograph(file, id));
    const shown = watchPhotographs(one, id);
    await until(() => shown().length === 3, 'three photographs on the tablet');
    expect(shown().map(({ custody }) => custody.at)).toEqual(['tablet', 'tablet', 'tablet']);

    await one.repositories.edge.pair(box.url, box.code);
    await until(() => shown().every(({ custody }) => custody.at === 'box'), 'all aboard');
    for (const { sha256 } of added) expect(await blobHash(box, sha256)).toBe(sha256);
    const ops = (await feed(box)).flatMap(({ op }) => op ?? []);
    expect(ops.map(({ kind }) => kind)).toEqual(['profile', 'survey', 'image', 'image', 'image']);
    expect(new Set(ops.map(({ opId }) => opId)).size).toBe(5);
    await until(() => one.repositories.sending.facts.get().state === 'done', 'nothing owed');
  });
});
