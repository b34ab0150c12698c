import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetBox } from '../../src/protocol/cloud-http';
import { fleetReport } from '../support/fleet-report';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { makeOp, newId, surveyOp } from '../support/servers/edge-client';
import { signIn } from '../support/servers/people';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

const staff = <Body>(method: string, place: string, body?: unknown) =>
  cloud.ask<Body & Record<string, unknown>>(method, place, body, STAFF_TOKEN);
const fleet = async () =>
  (await staff<{ boxes: FleetBox[]; registered: { id: string; name: string }[] }>('GET', '/api/fleet')).body;
const register = async (name: string, node?: string) =>
  (
    await staff<{ token: string; id: string }>('POST', '/api/fleet/boxes', {
      name,
      ...(node === undefined ? {} : { node }),
    })
  ).body;
/** Statuses of every call in which a box names itself. */
const callsAs = async (node: string, token: string): Promise<readonly number[]> =>
  Promise.all(
    [
      cloud.post('/api/ops', { node, ops: [surveyOp()] }, token),
      cloud.get(`/api/changes?since=0&node=${node}`, token),
      cloud.post('/api/uploads', { sha256: 'a'.repeat(64), bytes: 9, type: 'image/jpeg', node }, token),
      cloud.post('/api/fleet/report', fleetReport(node), token),
      cloud.post('/api/fleet/keys', { node, keys: [] }, token),
    ].map(async (call) => (await call).status),
  );

const ALL_REFUSED = [403, 403, 403, 403, 403];
/** Box that uses BRIDGE_TOKEN first. */
const first = newId();

describe('a stolen token of a box', () => {
  it('BRIDGE_TOKEN serves the first box and none of the calls of a second one', async () => {
    const thief = newId();
    expect((await fleet()).registered).toMatchObject([{ name: expect.stringContaining('BRIDGE_TOKEN') as string }]);
    expect((await callsAs(first, cloud.boxToken)).every((status) => status === 200)).toBe(true);
    expect(await callsAs(thief, cloud.boxToken)).toEqual(ALL_REFUSED);
    expect((await callsAs(first, cloud.boxToken)).every((status) => status === 200)).toBe(true);
    expect((await fleet()).boxes.map(({ node }) => node)).toEqual([first]);
  });

  it('of two boxes that come first with one token at the same moment, one is admitted', async () => {
    const { token } = await register('Coral Star');
    const statuses = await Promise.all(
      Array.from({ length: 8 }, async () => (await cloud.post('/api/ops', { node: newId(), ops: [] }, token)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });

  it('a token that names another box by mistake is neither admitted nor bound to it', async () => {
    const [mine, other] = [newId(), newId()];
    const [ours, theirs] = [await register('Mine'), await register('Theirs')];
    await cloud.ops([], other, theirs.token);
    expect((await cloud.post('/api/ops', { node: other, ops: [] }, ours.token)).status).toBe(403);
    expect((await cloud.post('/api/ops', { node: mine, ops: [] }, ours.token)).status).toBe(200);
  });

  it('a box that does not name itself vouches for nothing', async () => {
    const person = await signIn(cloud, 'named@example.org');
    const renamed = makeOp('profile', { uid: person.user.uid, name: { first: 'Staff', last: 'Support' } });
    const { token } = await register('New box');
    for (const nameless of [token, (await register('Another')).token]) {
      const [result] = await cloud.ops([renamed], undefined, nameless);
      expect(result).toMatchObject({ error: { code: 'forbidden', field: 'node' } });
    }
    const [held] = await cloud.ops([renamed], newId(), token);
    expect(held, 'named it is no more than a box').toMatchObject({ receipt: { accepted: false } });
  });

  it('BRIDGE_TOKEN that staff revoked opens nothing, also after a restart with it and for a new box', async () => {
    expect((await staff('POST', `/api/fleet/boxes/${first}/revoke`)).status).toBe(200);
    expect(await callsAs(first, cloud.boxToken)).toEqual(ALL_REFUSED);
    await cloud.restart();
    expect(await callsAs(newId(), cloud.boxToken)).toEqual(ALL_REFUSED);
    expect((await cloud.post('/api/have', { sha256: [] }, cloud.boxToken)).status, 'calls without a box').toBe(403);
    const again = await register('Reef Box', first);
    expect((await cloud.post('/api/ops', { node: first, ops: [surveyOp()] }, again.token)).status).toBe(200);
    expect((await callsAs(first, cloud.boxToken)).every((status) => status === 403)).toBe(true);
  });

  it('BRIDGE_TOKEN that no box has used yet can be revoked', async () => {
    const other = await startCloud();
    try {
      const asStaff = (method: string, place: string) =>
        other.ask<Record<string, unknown>>(method, place, undefined, STAFF_TOKEN);
      const [{ id } = { id: '' }] = (await asStaff('GET', '/api/fleet')).body['registered'] as { id: string }[];
      expect((await asStaff('POST', `/api/fleet/boxes/${id}/revoke`)).status).toBe(200);
      expect((await other.post('/api/ops', { node: newId(), ops: [] }, other.boxToken)).status).toBe(403);
    } finally {
      await other.close();
    }
  });
});
