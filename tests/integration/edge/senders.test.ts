import { afterAll, describe, expect, it, vi } from 'vitest';
import type { EdgeSender } from '../../../src/protocol/edge-socket';
import { EDGE_STATS } from '../../../src/domain/edge-stats';
import { until } from '../../support/servers/client';
import { startEdge } from '../../support/servers/edge';
import { EdgeClient, newId, pairedClient, photograph, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const edge = await startEdge();
afterAll(() => edge.remove());

const senders = async (): Promise<readonly EdgeSender[]> => {
  const answer = await fetch(`${edge.url}/edge/senders`, { headers: { authorization: `Bearer ${edge.adminToken}` } });
  expect(answer.status).toBe(200);
  return EDGE_STATS.senders.parse(await answer.json()) as readonly EdgeSender[];
};
const senderOf = async (deviceId: string): Promise<EdgeSender | undefined> =>
  (await senders()).find((sender) => sender.deviceId === deviceId);

describe('protocol: senders', () => {
  it('protocol: edge socket: a verified tablet is listed with person, survey and owed count', async () => {
    const client = await pairedClient(edge);
    expect(await senderOf(client.deviceId)).toMatchObject({
      name: 'Test tablet',
      person: null,
      connected: true,
      owed: null,
      survey: null,
      rate: null,
    });
    const signIn = await fetch(`${edge.url}/edge/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${client.session}` },
      body: JSON.stringify({
        email: 'mara@example.org',
        name: { first: 'Mara', last: 'Lind' },
        device: { id: client.deviceId, name: 'Test tablet' },
      }),
    });
    await client.verify({ session: ((await signIn.json()) as { session: string }).session });
    const survey = surveyOp();
    expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
    expect(await client.send('owing', { records: 3, photographs: 2, bytes: 8_000_000, survey: survey.docId })).toEqual({
      ok: true,
    });
    expect(await senderOf(client.deviceId)).toMatchObject({
      person: 'Mara Lind',
      owed: { records: 3, photographs: 2, bytes: 8_000_000 },
      survey: { id: survey.docId, name: 'Agincourt Reef' },
    });

    await edge.restart('SIGKILL');
    const after = await senderOf(client.deviceId);
    expect(after).toMatchObject({
      name: 'Test tablet',
      person: 'Mara Lind',
      connected: false,
      owed: { records: 3, photographs: 2, bytes: 8_000_000 },
      survey: { id: survey.docId, name: 'Agincourt Reef' },
      rate: null,
    });
    expect(Date.parse(after!.seenAt)).toBeLessThanOrEqual(Date.now());
    client.close();
  });

  it('protocol: edge socket: the box measures the current survey and rate itself', async () => {
    const client = await pairedClient(edge);
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    expect(await client.photograph(survey.docId, photograph(300_000), 64 * 1024)).toMatchObject({ ok: true });
    const sending = await senderOf(client.deviceId);
    expect(sending?.survey).toEqual({ id: survey.docId, name: 'Agincourt Reef' });
    expect(sending?.rate).toBeGreaterThan(0);
    client.close();
  });

  it('protocol: edge socket: a follower hears of a tablet that connects, owes and leaves', async () => {
    const follower = await pairedClient(edge);
    const heard: EdgeSender[][] = [];
    follower.socket.on('update', (update: { name: string; data: EdgeSender[] }) => {
      if (update.name === 'senders') heard.push(update.data);
    });
    expect(await follower.send('query', { name: 'senders', subscribe: true })).toMatchObject({ ok: true });
    const other = await pairedClient(edge);
    await other.send('owing', { records: 1, photographs: 1, bytes: 5 });
    const last = () => heard.at(-1)?.find(({ owed }) => owed?.bytes === 5);
    await until(() => last()?.connected === true, 'the follower sees what is owed');
    other.close();
    await until(() => last()?.connected === false, 'the follower sees that the tablet is gone');
    expect(last()?.owed).toEqual({ records: 1, photographs: 1, bytes: 5 });
    const before = heard.length;
    for (let i = 0; i < 50; i++) await follower.send('owing', { records: i, photographs: 0, bytes: 0 });
    await until(
      () => heard.at(-1)?.find(({ deviceId }) => deviceId === follower.deviceId)?.owed?.records === 49,
      'the last of many changes',
    );
    expect(heard.length - before, 'simultaneous changes are sent together').toBeLessThan(25);
    follower.close();
  });

  it('protocol: errors: a stranger cannot report or read senders; an invalid count is refused', async () => {
    const stranger = await EdgeClient.connect(edge.url);
    expect(await stranger.send('owing', { records: 0, photographs: 0, bytes: 0 })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
    expect(await stranger.send('query', { name: 'senders' })).toMatchObject({
      ok: false,
      error: { code: 'unauthorised' },
    });
    stranger.close();
    for (const place of ['senders', 'track']) expect((await fetch(`${edge.url}/edge/${place}`)).status).toBe(401);
    const client = await pairedClient(edge);
    for (const wrong of [
      {},
      { records: -1, photographs: 0, bytes: 0 },
      { records: 1, photographs: 1, bytes: Number.MAX_VALUE },
      { records: 1, photographs: 1, bytes: 1, survey: 'x' },
    ]) {
      expect(await client.send('owing', wrong)).toMatchObject({ ok: false, error: { code: 'bad-message' } });
    }
    expect(
      await client.send('owing', { records: 0, photographs: 0, bytes: 0, survey: newId() }),
      'a survey that has not arrived',
    ).toEqual({ ok: true });
    expect((await senderOf(client.deviceId))?.survey).toBeNull();
    client.close();
  });
});
