import { expect, test, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { BridgeLimits } from '../../../cloud-sync/bridge/limits';
import { outlineCollection, parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import type { WantedOutlinesReply } from '../../../src/protocol/edge-http';
import { makeColonies } from '../../support/pictures';
import { tempFolder } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import type { TestEdge } from '../../support/servers/edge';
import { imageOp, newId, pairedClient, surveyOp } from '../../support/servers/edge-client';
import { closers } from '../../support/tablet/closers';
import { edge } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

interface Scene {
  readonly shore: TestCloud;
  readonly box: TestEdge;
  /** One round of the bridge. */
  readonly step: () => Promise<number>;
  /** Session of a paired tablet. */
  readonly session: string;
  readonly photographs: readonly { readonly surveyId: string; readonly imageId: string }[];
}

async function scene(count: number, limits: Partial<BridgeLimits> = {}): Promise<Scene> {
  const shore = await startCloud();
  const folder = tempFolder('outlines');
  const box = await edge();
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', shore.url], {
    REEF_HOME: folder.path,
    BRIDGE_TOKEN: (await shore.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, STAFF_TOKEN)).body
      .token,
    EDGE_ADMIN_TOKEN: box.adminToken,
  });
  const { bridge, close } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { cloudPollMs: 0, outlinesMs: 0, outlinesMaxMs: 0, ...limits },
  });
  const client = await pairedClient(box);
  closers.push(async () => {
    client.close();
    close();
    await shore.close();
    folder.remove();
  });
  const survey = surveyOp();
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
  const photographs: { surveyId: string; imageId: string }[] = [];
  for (let n = 0; n < count; n++) {
    const content = await makeColonies(n, 300);
    const image = imageOp(survey.docId, content);
    expect(await client.upload(image, content)).toMatchObject({ ok: true });
    expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true });
    photographs.push({ surveyId: survey.docId, imageId: image.docId });
  }
  return { shore, box, step: () => bridge.step(new AbortController().signal), session: client.session, photographs };
}

const ask = (box: TestEdge, place: string, token: string | null, init: RequestInit = {}): Promise<Response> =>
  fetch(box.url + place, {
    ...init,
    headers: {
      ...(init.headers as Record<string, string>),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
  });

const address = (params: Readonly<Record<string, string>>): string => `/mlRequestJson?${new URLSearchParams(params)}`;

/** Status of a collection that the bridge brings; a connection that the box closes was refused. */
const put = (box: TestEdge, imageId: string, body: string): Promise<number> =>
  ask(box, `/edge/outlines/${imageId}?polygonThreshold=0.005`, box.adminToken, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  }).then(
    ({ status }) => status,
    () => 413,
  );

async function wanted({ box }: Scene, after = ''): Promise<WantedOutlinesReply> {
  const answer = await ask(box, `/edge/outlines${after === '' ? '' : `?after=${after}`}`, box.adminToken);
  return (await answer.json()) as WantedOutlinesReply;
}

/** Steps until photographs of the shore have outlines. */
async function outlinedAshore({ shore, step, photographs }: Scene): Promise<void> {
  await until(async () => {
    await step();
    const owned = await Promise.all(
      photographs.map(async ({ imageId }) => (await shore.cloud.context.store.document('image', imageId))?.owned['ml']),
    );
    return owned.every((ml) => ml === true) ? true : undefined;
  }, 'outlines ashore');
}

const squares = (...sides: readonly number[]): OutlineSet => ({
  source: 'segmentation',
  model: 'segmentation-1',
  width: 2000,
  height: 1500,
  outlines: sides.map((side, n) => {
    const id = `Predicted0000${String(n).padStart(3, '0')}`;
    const [from, to] = [0.1, 0.1 + side];
    return {
      id,
      area: side * side,
      rings: [
        [
          [from, from],
          [to, from],
          [to, to],
          [from, to],
          [from, from],
        ],
      ],
      predicted: { id, pixels: Math.round(side * side * 3_000_000), icon: 'reef', label: 'reef' },
    };
  }),
});

test('1§7 outlines made ashore come aboard by the bridge, and a tablet reads them without a link', async () => {
  const one = await scene(3);
  const { box, step, session, photographs } = one;
  for (const photograph of photographs) {
    const answer = await ask(box, address(photograph), session);
    expect([answer.status, ((await answer.json()) as { ok: boolean }).ok]).toEqual([500, false]);
  }
  await outlinedAshore(one);
  await until(async () => {
    await step();
    return (await wanted(one)).wanted.length === 0 ? true : undefined;
  }, 'outlines aboard');
  const sizes = { polygonThreshold: '0.005', maxPolygonThreshold: '0.7' };
  const ashore = await Promise.all(
    photographs.map(
      async (photograph) => (await one.shore.get(address({ ...photograph, ...sizes }), STAFF_TOKEN)).body,
    ),
  );
  await one.shore.stop();
  const aboard = await Promise.all(
    photographs.map(async (photograph) => (await ask(box, address({ ...photograph, ...sizes }), session)).json()),
  );
  expect(aboard).toEqual(ashore);
  expect(aboard.every((collection) => parseOutlines(collection).kind === 'outlines')).toBe(true);
  const [first] = photographs;
  // Areas: 0.25, 0.0064 and 0.0016; the region's sizes are 0.005 to 1.
  await put(box, first!.imageId, JSON.stringify(outlineCollection(squares(0.5, 0.08, 0.04))));
  for (const [more, count] of [
    [{}, 2],
    [{ polygonThreshold: '0.01' }, 1],
    [{ mlAnalysisDir: 'hawaii' }, 2],
  ] as const) {
    const parsed = parseOutlines(await (await ask(box, address({ ...first!, ...more }), session)).json());
    expect(parsed.kind === 'outlines' && parsed.set.outlines.length, JSON.stringify(more)).toBe(count);
  }
  // Smaller ones, as experts label them, the tablet makes itself.
  expect((await ask(box, address({ ...first!, polygonThreshold: '0.001' }), session)).status).toBe(500);
  expect((await ask(box, address(first!), null)).status).toBe(401);
  expect((await ask(box, address({ ...first!, surveyId: newId() }), session)).status).toBe(500);
  expect((await ask(box, address({ ...first!, imageId: newId() }), session)).status).toBe(500);
  expect((await ask(box, address({ imageId: first!.imageId }), session)).status).toBe(400);
});

test('1§7 outlines leave half of a day’s budget to records and photographs', async () => {
  // A budget that the records have used by half.
  const one = await scene(2, { dailyBytes: 50_000 });
  await outlinedAshore(one);
  const { outlines } = one.shore.cloud.context;
  const many = squares(...Array.from({ length: 1000 }, () => 0.2));
  for (const { imageId } of one.photographs) await outlines.putSegmented(imageId, { minSize: 0.005, maxSize: 1 }, many);
  for (let round = 0; round < 5; round++) await one.step();
  expect((await wanted(one)).wanted).toHaveLength(2);
});

test('protocol, Edge HTTP: outlines of another form, of unknown photographs or without end are refused', async () => {
  const { box, photographs } = await scene(1);
  const { imageId } = photographs[0]!;
  const good = JSON.stringify(outlineCollection(squares(0.2)));
  for (const [what, body, status] of [
    ['an empty object', '{}', 400],
    ['half a body', good.slice(0, 100), 400],
    ['places outside, which the rim cuts', good.replaceAll('0.1', '-1'), 200],
    ['a ring without numbers', good.replaceAll('0.1', '"x"'), 400],
    ['a member that no node stores', good.replace('{', '{"__proto__":{},'), 200],
    ['5 MiB', `"${'x'.repeat(5 * 1024 * 1024)}"`, 413],
    ['a good one', good, 200],
  ] as const)
    expect(await put(box, imageId, body), what).toBe(status);
  expect(await put(box, newId(), good)).toBe(404);
  expect(await put(box, 'x', good)).toBe(400);
  expect((await ask(box, '/edge/outlines?after=x', box.adminToken)).status).toBe(400);
});
