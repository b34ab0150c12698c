import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { confirmClaim } from '../../cloud-sync/api/accounts/people/staff-command';
import type { Bridge } from '../../cloud-sync/bridge/bridge';
import { composeBridge } from '../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../cloud-sync/bridge/settings';
import type { Edge } from '../../edge-server/app';
import { buildEdge } from '../../edge-server/app';
import { readSettings } from '../../edge-server/settings';
import type { Op } from '../../src/domain/op/op';
import type { BoxPeople, PersonStatement } from '../../src/protocol/person-statement';
import { STATEMENTS_MAX, signedStatementText } from '../../src/protocol/person-statement';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import type { TestDeviceKey } from '../support/servers/device-keys';
import { newDeviceKey, signedBy } from '../support/servers/device-keys';
import { EdgeClient, makeOp, newId, pairedClient, surveyOp } from '../support/servers/edge-client';
import { signIn } from '../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

type Uid = NonNullable<Op['by']>;

/** Box with a valid token that writes what it likes. */
const HOSTILE = 'BoxOfAnAttacker1';
const hostileKey = newDeviceKey();
const hostileKeys = [{ kty: 'OKP' as const, crv: 'Ed25519' as const, kid: 'hostile', x: hostileKey.x }];

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-claims-'));
const clients: EdgeClient[] = [];
let cloud: TestCloud;
let box: TestBox;
let bridge: Bridge;
let closeBridge = (): void => undefined;

/** Box in this process that can start again over its home. */
class TestBox {
  #edge: Edge | undefined;
  url = '';

  constructor(readonly home: string) {}

  get edge(): Edge {
    if (this.#edge === undefined) throw new Error('the box does not run');
    return this.#edge;
  }

  get node(): string {
    return this.edge.context.store.identity.nodeId;
  }

  async start(): Promise<void> {
    this.#edge = await buildEdge(
      readSettings({ REEF_HOME: path.join(folder, this.home), EDGE_PORT: '0', MIN_FREE_GB: '0' }),
      { log: pino({ level: 'silent' }) },
    );
    this.url = await this.#edge.listen();
  }

  async ask<Body = Record<string, unknown>>(method: string, place: string, body?: unknown, token?: string) {
    const answer = await fetch(this.url + place, {
      method,
      headers: {
        authorization: `Bearer ${token ?? this.edge.context.adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect(answer.status, place).toBe(200);
    return (await answer.json()) as Body;
  }

  async statementOf(uid: string): Promise<PersonStatement> {
    const { statements } = await this.ask<BoxPeople>('GET', '/edge/people');
    const found = (statements as PersonStatement[]).find((statement) => statement.uid === uid);
    if (found === undefined) throw new Error(`the box states nothing about ${uid}`);
    return found;
  }
}

interface Aboard {
  readonly uid: Uid;
  readonly key: TestDeviceKey;
  readonly session: string;
  readonly client: EdgeClient;
  readonly survey: Op;
}

const profileOf = (uid: Uid, email: string, more: Partial<Op> = {}): Op =>
  makeOp('profile', { uid, name: { first: 'Ben', last: 'Wave' }, email }, { by: uid, ...more });

async function write(client: EdgeClient, event: string, op: Op): Promise<Op> {
  expect(await client.send(event, { op })).toMatchObject({ ok: true, receipt: { accepted: true } });
  return op;
}

/** Signs a person in at a box, as the app does: the signed profile goes first, then a survey. */
async function aboard(email: string, at = box): Promise<Aboard> {
  const device = { id: newId(), name: 'Tablet' };
  const { session, user } = await at.ask<{ session: string; user: { uid: Uid } }>('POST', '/edge/sign-in', {
    email,
    name: { first: 'Ben', last: 'Wave' },
    device,
    code: at.edge.context.pairing.code(),
  });
  const client = await EdgeClient.connect(at.url, {}, device.id);
  clients.push(client);
  expect(await client.verify({ session })).toMatchObject({ ok: true });
  const key = newDeviceKey();
  const { uid } = user;
  await write(client, 'profile', signedBy(key, profileOf(uid, email)));
  const survey = await write(client, 'survey', signedBy(key, surveyOp(uid, { by: uid })));
  return { uid, key, session, client, survey };
}

const mate = async (): Promise<EdgeClient> => {
  const client = await pairedClient({ url: box.url, code: box.edge.context.pairing.code() });
  clients.push(client);
  return client;
};
const ashore = () => bridge.step(new AbortController().signal);
/** Documents that the account of an address sees after it was confirmed. */
const seenBy = async (email: string): Promise<string[]> =>
  (await cloud.changes(0, (await signIn(cloud, email)).session)).entries.flatMap(({ op }) =>
    op === undefined ? [] : [op.docId as string],
  );
const post = async (node: string, people: unknown) =>
  (await cloud.post('/api/fleet/keys', { node, keys: [], people })).status;
const signed = (unsigned: Omit<PersonStatement, 'sig'>, key = hostileKey): PersonStatement =>
  ({ ...unsigned, sig: key.sign(signedStatementText(unsigned)) }) as PersonStatement;
const stated = (uid: string, email: string, more: Partial<PersonStatement> = {}): PersonStatement =>
  signed({ v: 1, uid, node: HOSTILE, email, signedAt: '2026-11-23T10:00:00.000Z', kid: 'hostile', ...more });
const isAccepted = async (op: Op, node: string): Promise<unknown> =>
  (await cloud.ops([op], node)).map((result) => ('receipt' in result ? result.receipt.accepted : result))[0];

beforeAll(async () => {
  [cloud, box] = [await startCloud(), new TestBox('home')];
  await box.start();
  const settings = readBridgeSettings(['--edge', box.url, '--cloud', cloud.url], {
    REEF_HOME: path.join(folder, 'bridge'),
    BRIDGE_TOKEN: await cloud.tokenOf(box.node),
    EDGE_ADMIN_TOKEN: box.edge.context.adminToken,
  });
  ({ bridge, close: closeBridge } = composeBridge(settings, undefined, {
    log: () => undefined,
    limits: { itemRetryMs: 1, cloudPollMs: 0, referenceMs: 0 },
  }));
});
afterAll(async () => {
  for (const client of clients) client.close();
  closeBridge();
  await box.edge.close();
  await cloud.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('claims on the work of a person who first signed in at a box', () => {
  it('protocol, Statements: the box’s word settles a claim, before and after the address is confirmed', async () => {
    const ben = await aboard('ben@example.org');
    await ashore();
    expect(await seenBy('ben@example.org')).toContain(ben.survey.docId);
    const later = await write(ben.client, 'survey', surveyOp(ben.uid, { by: ben.uid }));
    const early = await aboard('early@example.org');
    expect(await seenBy('early@example.org')).toEqual([]);
    await ashore();
    expect(await seenBy('ben@example.org')).toContain(later.docId);
    expect(await seenBy('early@example.org')).toContain(early.survey.docId);
  });

  it('protocol, Statements: a sealed bundle carries the box’s word', async () => {
    const other = new TestBox('drive');
    await other.start();
    const person = await aboard('drive@example.org', other);
    const { recipient } = (await cloud.get<{ recipient: string }>('/api/seal-key', null)).body;
    const bundle = await fetch(`${other.url}/edge/export?key=${recipient}`, {
      headers: { authorization: `Bearer ${other.edge.context.adminToken}` },
    });
    const imported = await fetch(`${cloud.url}/api/import?confirm=${other.edge.context.bundleKey.kid}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${STAFF_TOKEN}` },
      body: Buffer.from(await bundle.arrayBuffer()),
    });
    expect(await imported.text()).not.toContain('drive@example.org');
    expect(imported.status).toBe(200);
    await other.edge.close();
    expect(await seenBy('drive@example.org')).toContain(person.survey.docId);
  });

  it('protocol, Statements: another box states nothing about a person of the first', async () => {
    const victim = await aboard('victim@example.org');
    // The attacker’s box is ashore first.
    expect(await isAccepted(profileOf(victim.uid, 'eve@example.org'), HOSTILE)).toBe(true);
    expect(await isAccepted(surveyOp(victim.uid, { by: victim.uid }), HOSTILE)).toBe(true);
    const { nonce } = await box.statementOf(victim.uid);
    for (const forged of [
      stated(victim.uid, 'eve@example.org'),
      stated(victim.uid, 'eve@example.org', { nonce }),
      stated(victim.uid, 'eve@example.org', { nonce: 'A'.repeat(22) }),
      stated(victim.uid, 'eve@example.org', { nonce, node: box.node }),
    ]) {
      expect(await post(HOSTILE, { keys: hostileKeys, statements: [forged] })).toBe(200);
      // Under the name of the first box it needs that box’s token.
      const { status } = await cloud.post(
        '/api/fleet/keys',
        { node: box.node, keys: [], people: { keys: hostileKeys, statements: [forged] } },
        await cloud.tokenOf(HOSTILE),
      );
      expect(status).toBe(403);
    }
    await ashore();
    await isAccepted(profileOf(victim.uid, 'eve@example.org', { lc: 9 }), HOSTILE);
    expect(await seenBy('eve@example.org')).toEqual([]);
    expect(await seenBy('victim@example.org')).toContain(victim.survey.docId);
  });

  it('protocol, Statements: an edited statement, or one for another person, counts nowhere', async () => {
    const [ann, bob] = [await aboard('ann@example.org'), await aboard('bob@example.org')];
    const own = await box.statementOf(ann.uid);
    const { keys } = await box.ask<BoxPeople>('GET', '/edge/people');
    for (const forged of [
      { ...own, email: 'mallory@example.org' },
      { ...own, email: 'mallory@example.org', sig: hostileKey.sign('anything') },
      { ...own, uid: bob.uid },
      { ...own, key: hostileKey.x },
      { ...own, signedAt: '2030-01-01T00:00:00.000Z' },
      { ...own, node: HOSTILE },
      { ...own, nonce: undefined },
      null,
      'statement',
      { ...own, email: 'mallory\u0000@example.org' },
    ])
      expect(await post(box.node, { keys, statements: [forged] })).toBe(200);
    const odd = stated(newId(), 'mallory\u0000@example.org');
    expect(await post(HOSTILE, { keys: hostileKeys, statements: [odd] })).toBe(200);
    const { rows } = await cloud.cloud.context.database.pool.query(
      'SELECT FROM auth.person_statement WHERE uid = ANY($1)',
      [[ann.uid, bob.uid]],
    );
    expect(rows).toEqual([]);
    await ashore();
    expect(await seenBy('mallory@example.org')).toEqual([]);
    expect(await seenBy('ann@example.org')).toContain(ann.survey.docId);
    expect(await seenBy('ann@example.org')).not.toContain(bob.survey.docId);
  });

  it('protocol, Statements: a crew mate who writes an address into the profile gets nothing', async () => {
    const carl = await aboard('carl@example.org');
    const [crew, key] = [await mate(), newDeviceKey()];
    for (const op of [
      profileOf(carl.uid, 'crew@example.org', { lc: 5 }),
      signedBy(key, profileOf(carl.uid, 'crew@example.org', { lc: 6 })),
    ])
      await write(crew, 'profile', op);
    await ashore();
    const stored = await cloud.cloud.context.store.document('profile', carl.uid);
    expect(stored?.folded.doc['email']).toBe('crew@example.org');
    expect(await seenBy('crew@example.org')).toEqual([]);
    expect(await seenBy('carl@example.org')).toContain(carl.survey.docId);
    expect((await box.statementOf(carl.uid)).key).toBe(carl.key.x);
  });

  it('protocol, Statements: the corrected address counts, and an earlier statement does not come back', async () => {
    const dora = await aboard('typo@example.org');
    const before = await box.statementOf(dora.uid);
    await box.ask('POST', '/edge/profile', { email: 'Dora@example.org' }, dora.session);
    await ashore();
    const { keys } = await box.ask<BoxPeople>('GET', '/edge/people');
    expect(await post(box.node, { keys, statements: [before] })).toBe(200);
    expect(await seenBy('typo@example.org')).toEqual([]);
    expect(await seenBy('dora@example.org')).toContain(dora.survey.docId);
  });

  it('protocol, Statements: of a person made on a tablet the first profile decides, and its key', async () => {
    const [tablet, crew, key] = [await mate(), await mate(), newDeviceKey()];
    const uid = newId() as Uid;
    await write(tablet, 'profile', signedBy(key, profileOf(uid, 'fay@example.org')));
    const survey = await write(tablet, 'survey', surveyOp(uid, { by: uid }));
    await write(crew, 'profile', profileOf(uid, 'crew2@example.org', { lc: 5 }));
    await write(crew, 'profile', signedBy(newDeviceKey(), profileOf(uid, 'crew2@example.org', { lc: 6 })));
    await write(crew, 'profile', {
      ...profileOf(uid, 'crew2@example.org', { lc: 7 }),
      sig: { key: key.x, value: key.sign('anything') },
    });
    await ashore();
    expect(await post(HOSTILE, { keys: hostileKeys, statements: [stated(uid, 'eve2@example.org')] })).toBe(200);
    expect(await seenBy('crew2@example.org')).toEqual([]);
    expect(await seenBy('eve2@example.org')).toEqual([]);
    expect(await seenBy('fay@example.org')).toContain(survey.docId);
    // A tablet of version 1 signs nothing, and no later key is taken for its own.
    const unsigned = newId() as Uid;
    await write(tablet, 'profile', profileOf(unsigned, 'fay3@example.org'));
    await write(crew, 'profile', signedBy(newDeviceKey(), profileOf(unsigned, 'crew2@example.org', { lc: 5 })));
    expect(await box.statementOf(unsigned)).toMatchObject({ email: 'fay3@example.org' });
    expect(await box.statementOf(unsigned)).not.toHaveProperty('key');
    await write(tablet, 'profile', signedBy(key, profileOf(uid, 'fay2@example.org', { lc: 8 })));
    await ashore();
    expect(await seenBy('fay2@example.org')).toContain(survey.docId);
  });

  it('protocol, Statements: a box of version 1 states its people at its next start', async () => {
    const old = new TestBox('old');
    await old.start();
    const uid = newId() as Uid;
    const row = { uid, deviceId: newId(), email: 'old@example.org', first: 'Old', last: 'Box' };
    old.edge.context.state.savePerson(row);
    expect((await old.ask<BoxPeople>('GET', '/edge/people')).statements).toEqual([]);
    await old.edge.close();
    await old.start();
    const { keys, statements } = await old.ask<BoxPeople>('GET', '/edge/people');
    expect(statements).toMatchObject([{ uid, email: 'old@example.org' }]);
    expect(statements[0]).not.toHaveProperty('nonce');
    const survey = surveyOp(uid, { by: uid });
    for (const op of [profileOf(uid, 'crew3@example.org'), survey]) expect(await isAccepted(op, old.node)).toBe(true);
    const stranger = stated(uid, 'eve3@example.org');
    expect(await post(HOSTILE, { keys: hostileKeys, statements: [stranger] })).toBe(200);
    expect(await post(old.node, { keys, statements })).toBe(200);
    for (const email of ['eve3@example.org', 'crew3@example.org']) expect(await seenBy(email)).toEqual([]);
    expect(await seenBy('old@example.org')).toContain(survey.docId);
    await old.edge.close();
  });

  it('protocol, Statements: a claim that the earlier rule settled stays, also for later work', async () => {
    const uid = newId() as Uid;
    expect(await isAccepted(profileOf(uid, 'kim@example.org'), HOSTILE)).toBe(true);
    expect(await seenBy('kim@example.org')).toEqual([]);
    const migrations = new URL('../../cloud-sync/api/accounts/account-migrations/', import.meta.url);
    const name = readdirSync(migrations).find((file) => file.endsWith('-person-statements.sql'))!;
    const [, before] = readFileSync(new URL(name, migrations), 'utf8').split(/(?=^DO )/m);
    await cloud.cloud.context.database.pool.query(before!);
    const later = surveyOp(uid, { by: uid });
    expect(await isAccepted(later, HOSTILE)).toBe(true);
    expect(await seenBy('kim@example.org')).toContain(later.docId);
  });

  it('protocol, Statements: a pending author’s own signature gives access through any box, and no role', async () => {
    const gus = await aboard('gus@example.org');
    await ashore();
    const change = (isSigned: boolean): Op => {
      const op = makeOp(
        'survey',
        { ...gus.survey.body, name: `Named ${String(isSigned)}` },
        { by: gus.uid, lc: 2, over: { name: [] } },
      );
      return isSigned ? signedBy(gus.key, op) : op;
    };
    expect(await isAccepted(change(false), HOSTILE)).toBe(false);
    expect(await isAccepted(signedBy(newDeviceKey(), change(false)), HOSTILE)).toBe(false);
    expect(await isAccepted(change(true), HOSTILE)).toBe(true);
    const expert = signedBy(
      gus.key,
      makeOp(
        'analysis',
        {
          id: newId(),
          survey: { id: gus.survey.docId },
          image: { id: newId() },
          user: { uid: gus.uid },
          isExpert: true,
        },
        { by: gus.uid },
      ),
    );
    expect(await isAccepted(expert, box.node)).toBe(true);
    expect((await cloud.cloud.context.store.document('analysis', expert.docId))?.roles).toEqual([]);
  });

  it('protocol, Statements: as many as a message may have, and not one more', async () => {
    const junk = (n: number) => ({ keys: hostileKeys, statements: Array.from({ length: n }, () => null) });
    expect(await post(HOSTILE, junk(STATEMENTS_MAX))).toBe(200);
    expect(await post(HOSTILE, junk(STATEMENTS_MAX + 1))).toBe(400);
  });

  it('protocol, Statements: without a statement the operator’s word settles a claim, and no account’s', async () => {
    const { accounts } = cloud.cloud.context;
    const uid = newId() as Uid;
    const survey = surveyOp(uid, { by: uid });
    expect(await isAccepted(profileOf(uid, 'hal@example.org'), HOSTILE)).toBe(true);
    expect(await isAccepted(survey, HOSTILE)).toBe(true);
    expect(await seenBy('hal@example.org')).toEqual([]);
    await expect(confirmClaim(accounts, [newId(), 'hal@example.org'])).rejects.toThrow('wrote nothing');
    const { user } = await signIn(cloud, 'hal@example.org');
    await expect(confirmClaim(accounts, [user.uid, 'eve@example.org'])).rejects.toThrow('account of their own');
    await expect(confirmClaim(accounts, [uid])).rejects.toThrow('npm run cloud -- confirm-claim');
    expect(await confirmClaim(accounts, [uid, 'Hal@example.org'])).toContain('hal@example.org');
    expect(await seenBy('hal@example.org')).toContain(survey.docId);
  });

  it('protocol, Statements: what a box stated before it was revoked stays, and nothing new of it counts', async () => {
    const [ida, jon] = [await aboard('ida@example.org'), await aboard('jon@example.org')];
    const late = await box.statementOf(jon.uid);
    await ashore();
    const { pool } = cloud.cloud.context.database;
    await pool.query('DELETE FROM auth.person_statement WHERE uid = $1', [jon.uid]);
    expect((await cloud.post(`/api/fleet/boxes/${box.node}/revoke`, {}, STAFF_TOKEN)).status).toBe(200);
    const { keys } = await box.ask<BoxPeople>('GET', '/edge/people');
    expect(await post(box.node, { keys, statements: [late] })).toBe(403);
    const { statements } = cloud.cloud.context.accounts;
    expect(await statements.accept(box.node, { keys, statements: [late] })).toEqual({ taken: [], refused: 1 });
    expect(await seenBy('jon@example.org')).toEqual([]);
    expect(await seenBy('ida@example.org')).toContain(ida.survey.docId);
  });
});
