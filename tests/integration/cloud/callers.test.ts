import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import type { Op } from '../../../src/domain/op/op';
import type { TokenReply } from '../../../src/protocol/cloud-auth';
import type { DeviceRegistration } from '../../../src/protocol/cloud-http';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { EdgeProcess } from '../../support/servers/edge';
import { EdgeClient, makeOp, newId, surveyOp } from '../../support/servers/edge-client';
import type { SignedIn } from '../../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let cloud: TestCloud;
let ana: SignedIn;
let ben: SignedIn;
let staff: SignedIn;

beforeAll(async () => {
  cloud = await startCloud();
  ana = await signIn(cloud, 'ana@example.org');
  ben = await signIn(cloud, 'ben@example.org');
  staff = await signInStaff(cloud, 'staff@example.org');
});
afterAll(() => cloud.close());

type Refusal = { error: { code: string; message: string; field?: string } };
const callerOf = async (token: string) => (await cloud.cloud.context.accounts.callers.identify(token))?.caller;
/** Runs `work` after the caller cache has expired. */
async function later<T>(work: () => Promise<T>): Promise<T> {
  const now = performance.now.bind(performance);
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now() + AUTH_LIMITS.callerCacheMs);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

describe('protocol, Cloud HTTP: tablets', () => {
  it('protocol: a person registers a tablet and gets its credential, and no one else can', async () => {
    const device = { id: newId(), name: 'Deck tablet' };
    const { status, body } = await cloud.post<DeviceRegistration & Record<string, unknown>>(
      '/api/devices',
      { device },
      ana.session,
    );
    expect(status).toBe(200);
    const { nodeId, storeEpoch } = cloud.cloud.context.store.identity;
    expect(body).toMatchObject({
      cloud: { id: nodeId, storeEpoch },
      receiptKeys: [{ kty: 'OKP', crv: 'Ed25519' }],
      traceKeys: [{ kty: 'OKP', crv: 'Ed25519' }],
    });
    expect(await callerOf(body.credential)).toEqual({
      roles: new Set(['anyone', 'device']),
      person: ana.user.uid,
      deviceId: device.id,
      node: null,
    });
    for (const token of [null, 'x', body.credential, cloud.boxToken])
      expect([401, 403]).toContain((await cloud.post('/api/devices', { device }, token)).status);
    for (const bad of [
      {},
      { device: { id: 'short', name: 'x' } },
      { device: { id: newId() } },
      { device: { id: newId(), name: 'x'.repeat(81) } },
      { device: { id: newId(), name: 'x\u0000' } },
    ]) {
      expect((await cloud.post('/api/devices', bad, ana.session)).status).toBe(400);
    }
  });

  it('protocol: a tablet relays ops of its people and unknown authors, without a person’s rights', async () => {
    const credential = await registerDevice(cloud, ana);
    const { body } = await cloud.post<{ results: { receipt?: { accepted: boolean } }[] }>(
      '/api/ops',
      { ops: [surveyOp(ana.user.uid), surveyOp(), surveyOp(ben.user.uid)] },
      credential,
    );
    expect(body.results.map(({ receipt }) => receipt?.accepted)).toEqual([true, true, false]);
    for (const place of ['/api/me', '/api/auth/token', '/api/auth/edge-token', '/api/devices', '/api/fleet'])
      expect((await cloud.get(place, credential)).status, place).toBe(403);
  });

  it('1§6: a person submits their own ops with their session and no one else’s', async () => {
    const [own, others] = [surveyOp(ben.user.uid), surveyOp(ana.user.uid)];
    const { body } = await cloud.post<{ results: { receipt?: { accepted: boolean }; error?: object }[] }>(
      '/api/ops',
      { ops: [others, own] },
      ben.session,
    );
    expect(body.results).toMatchObject([{ receipt: { accepted: false } }, { receipt: { accepted: true } }]);
    expect(await cloud.cloud.context.store.document('survey', others.docId)).toBeUndefined();
  });

  it('protocol: a tablet id of another person is refused, and one’s own is retained', async () => {
    const id = newId();
    const hers = await registerDevice(cloud, ana, id);
    const his = await registerDevice(cloud, ben, id);
    const again = await registerDevice(cloud, ana, id);
    const hisAgain = await registerDevice(cloud, ben, id);
    const [first, second, third, fourth] = await Promise.all([hers, his, again, hisAgain].map(callerOf));
    expect(first!.deviceId).toBe(id);
    expect(third!.deviceId).toBe(id);
    expect(second!.deviceId).not.toBe(id);
    expect(second!.deviceId).toMatch(/^[0-9A-Za-z]{16}$/);
    expect(fourth!.deviceId).toBe(second!.deviceId);
  });

  it('protocol: a caller naming a tablet seen in a survey reads nothing of others from it', async () => {
    const tablet = newId();
    const [survey, later] = [1, 2].map(() =>
      makeOp(
        'survey',
        { ...surveyOp().body, id: newId(), private: true, user: { uid: ben.user.uid, org: null } },
        { by: ben.user.uid as never },
        tablet,
      ),
    ) as [Op, Op];
    const node = newId();
    const read = async (credential: string) =>
      (await cloud.changes(0, credential)).entries.filter(({ receipt }) => receipt?.opId.startsWith(tablet));
    // Before a box submits anything of it, the id can be taken, and reveals no record.
    const early = await registerDevice(cloud, ana, tablet);
    await cloud.ops([survey], node);
    expect((await read(early)).filter(({ op }) => op !== undefined)).toEqual([]);
    await cloud.cloud.context.database.pool.query('DELETE FROM auth.device WHERE device_id = $1', [tablet]);
    const late = await registerDevice(cloud, ana, tablet);
    expect((await callerOf(late))!.deviceId).not.toBe(tablet);
    await cloud.ops([later], node);
    expect(await read(late)).toEqual([]);
    const his = await registerDevice(cloud, ben, tablet);
    expect((await callerOf(his))!.deviceId).toBe(tablet);
    expect((await read(his)).map(({ op }) => op?.opId)).toEqual([survey.opId, later.opId]);
  });

  it('protocol: its person or staff can revoke a lost tablet, and it gets a clear reason', async () => {
    for (const [by, status] of [
      [ben, 404],
      [staff, 200],
      [ana, 200],
    ] as const) {
      const id = newId();
      const credential = await registerDevice(cloud, await signIn(cloud, 'ana@example.org'), id);
      expect((await cloud.post('/api/have', { sha256: [] }, credential)).status).toBe(200);
      expect((await cloud.post('/api/devices/revoke', { device: { id } }, by.session)).status).toBe(status);
      const asked = await cloud.get<Refusal>('/api/changes', credential);
      if (status === 200)
        expect(asked).toMatchObject({
          status: 403,
          body: {
            error: { code: 'forbidden', field: 'device', message: expect.stringContaining('revoked ashore') as string },
          },
        });
      else expect(asked.status).toBe(200);
    }
    const { body } = await cloud.get<{ devices: { id: string; revokedAt: string | null }[] }>(
      '/api/devices',
      ana.session,
    );
    expect(body.devices.filter(({ revokedAt }) => revokedAt !== null)).toHaveLength(2);
  });

  it('1§6: staff find the tablets of a person and revoke one, and an admin does not', async () => {
    const [person, admin] = [await signIn(cloud, 'owner@example.org'), await signInAs(cloud, 'admin')];
    const id = newId();
    await registerDevice(cloud, person, id);
    const list = (by: SignedIn) =>
      cloud.get<{ devices: object[] }>(`/api/admin/users/${person.user.uid}/devices`, by.session);
    for (const by of [person, admin, ben]) expect((await list(by)).status).toBe(403);
    expect((await list(staff)).body.devices).toMatchObject([{ id, revokedAt: null, current: false }]);
    expect((await cloud.post('/api/devices/revoke', { device: { id } }, staff.session)).status).toBe(200);
    expect((await list(staff)).body.devices).toMatchObject([{ id, revokedAt: expect.any(String) as string }]);
  });

  it('protocol: the last visit of a tablet is recorded without delaying an answer', async () => {
    const id = newId();
    const credential = await registerDevice(cloud, ana, id);
    const seen = async () =>
      (await cloud.cloud.context.accounts.devices.listByPerson(ana.user.uid as never)).find((one) => one.id === id)!
        .lastSeenAt;
    expect(await seen()).toBeNull();
    await cloud.post('/api/have', { sha256: [] }, credential);
    await vi.waitFor(async () => expect(await seen()).not.toBeNull(), { timeout: 30_000 });
  });
});

describe('protocol, Cloud HTTP: callers are cached for some seconds', () => {
  it('protocol: reads skip the look-up, and a revocation elsewhere applies within seconds', async () => {
    const person = await signIn(cloud, 'often@example.org');
    const credential = await registerDevice(cloud, person);
    await callerOf(person.session);
    await callerOf(credential);
    const spy = vi.spyOn(cloud.cloud.context.database.pool, 'query');
    for (let n = 0; n < 20; n++)
      for (const token of [person.session, credential]) expect((await callerOf(token))!.person).toBe(person.user.uid);
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
    // Simulates another process: this one is not notified.
    await cloud.cloud.context.database.pool.query('DELETE FROM auth."session" WHERE "userId" = $1', [person.user.uid]);
    await cloud.cloud.context.database.pool.query(
      'UPDATE auth.device SET revoked_at = now() WHERE registered_by = $1',
      [person.user.uid],
    );
    await later(async () => {
      expect(await callerOf(person.session)).toBeUndefined();
      expect([...(await callerOf(credential))!.roles]).toEqual(['anyone', 'revoked']);
    });
  });

  it('protocol: a failed look-up is not cached', async () => {
    const { session } = await signIn(cloud, 'unlucky@example.org');
    const spy = vi
      .spyOn(cloud.cloud.context.database.pool, 'query')
      .mockImplementationOnce(() => Promise.reject(new Error('the database is away')) as never);
    await expect(callerOf(session)).rejects.toThrow('the database is away');
    spy.mockRestore();
    expect((await callerOf(session))!.roles).toContain('person');
  });
});

describe('protocol, Cloud HTTP: boxes', () => {
  it('protocol: a box token binds to the first box that uses it until staff revoke the box', async () => {
    const { body } = await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Star' }, staff.session);
    const [node, other] = [newId(), newId()];
    const asNode = (id: string) => cloud.post<Refusal>('/api/ops', { node: id, ops: [] }, body.token);
    expect((await asNode(node)).status).toBe(200);
    expect((await asNode(other)).status).toBe(403);
    expect((await asNode(node)).status).toBe(200);
    for (const place of ['/api/me', '/api/auth/edge-token', '/api/fleet'])
      expect((await cloud.get(place, body.token)).status, place).toBe(403);
    expect((await cloud.post(`/api/fleet/boxes/${node}/revoke`, {}, ana.session)).status).toBe(403);
    expect((await cloud.post(`/api/fleet/boxes/${node}/revoke`, {}, staff.session)).status).toBe(200);
    const refused = await asNode(node);
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: expect.stringContaining('revoked') } },
    });
  });
});

describe('1§6: read access of a person', () => {
  it('1§6: a person sees their own surveys and profile, and staff see all', async () => {
    const take = async (person: SignedIn) => {
      const survey = surveyOp(person.user.uid);
      const profile = makeOp(
        'profile',
        { uid: person.user.uid, email: person.user.email, name: { first: 'A', last: 'B' } },
        { by: person.user.uid as never },
      );
      await cloud.post('/api/ops', { ops: [profile, survey] }, person.session);
      return [profile.docId, survey.docId];
    };
    const hers = await take(ana);
    const his = await take(ben);
    const seen = async (person: SignedIn) =>
      new Set(
        (await cloud.changes(0, person.session)).entries.flatMap(({ op }) =>
          op === undefined ? [] : [op.docId as string],
        ),
      );
    const [byAna, byBen, byStaff] = [await seen(ana), await seen(ben), await seen(staff)];
    for (const id of hers) expect([byAna.has(id), byBen.has(id), byStaff.has(id)], id).toEqual([true, false, true]);
    for (const id of his) expect([byAna.has(id), byBen.has(id), byStaff.has(id)], id).toEqual([false, true, true]);
    expect((await cloud.get<{ user: { name: object } }>('/api/me', ana.session)).body.user.name).toEqual({
      first: 'A',
      last: 'B',
    });
  });
});

describe('protocol, Edge socket 1: aboard with a cloud token', () => {
  it('protocol: a box with the keys admits box tokens while the cloud is away, and no others', async () => {
    const own = await startCloud();
    const edge = await EdgeProcess.start({ env: { EDGE_PAIRING: 'open' } });
    try {
      const person = await signIn(own, 'crew@example.org');
      const { body: token } = await own.get<TokenReply & Record<string, unknown>>(
        '/api/auth/edge-token',
        person.session,
      );
      const { body: short } = await own.get<TokenReply & Record<string, unknown>>('/api/auth/token', person.session);
      const { body: jwks } = await own.get('/api/auth/jwks', null);
      await own.stop();
      const put = await fetch(`${edge.url}/edge/reference/jwks`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(jwks),
      });
      expect(put.status).toBe(200);
      const verify = async (given: string) => {
        const client = await EdgeClient.connect(edge.url);
        try {
          return await client.verify({ token: given });
        } finally {
          client.close();
        }
      };
      expect(await verify(token.token)).toMatchObject({
        ok: true,
        user: { uid: person.user.uid, email: 'crew@example.org', pending: false },
      });
      for (const wrong of [short.token, `${token.token.slice(0, -4)}AAAA`])
        expect(await verify(wrong)).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    } finally {
      await edge.stop();
      await edge.remove();
      await own.close();
    }
  });
});
