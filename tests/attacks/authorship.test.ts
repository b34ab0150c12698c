import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';
import { signedOpText } from '../../src/protocol/op-signature';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import type { TestDeviceKey } from '../support/servers/device-keys';
import { askToCertify, certifiedKey, newDeviceKey, signedBy } from '../support/servers/device-keys';
import { imageOp, makeOp, newId, photograph, surveyOp } from '../support/servers/edge-client';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Boxes: of the crew, and of an attacker with a valid token. */
const HOME = 'BoxOfTheCrew0001';
const HOSTILE = 'BoxOfAnAttacker1';

const picture = photograph(2400);

let cloud: TestCloud;
let victim: SignedIn;
let victimsKey: TestDeviceKey;
let attacker: SignedIn;
let attackersKey: TestDeviceKey;
let staff: SignedIn;
/** Private survey of the victim, with one photograph, delivered by their box. */
let secret: Op;

const uid = ({ user }: SignedIn) => user.uid as NonNullable<Op['by']>;
const edit = (of: Op, by: NonNullable<Op['by']>, more: JsonObject = { name: 'Taken' }): Op =>
  makeOp(
    of.kind,
    { ...of.body, ...more },
    { by, lc: 2, over: Object.fromEntries(Object.keys(more).map((field) => [field, []])) },
  );
const isAccepted = async (ops: readonly unknown[], node?: string, token?: string): Promise<(boolean | string)[]> =>
  (await cloud.ops(ops, node, token)).map((result) =>
    'receipt' in result ? result.receipt.accepted : 'error' in result ? result.error.code : 'needs',
  );
const seenBy = async ({ session }: SignedIn): Promise<Set<string>> =>
  new Set((await cloud.changes(0, session)).entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId])));
const nameOf = async (docId: string): Promise<unknown> =>
  (await cloud.cloud.context.store.document('survey', docId))?.folded.doc['name'];

beforeAll(async () => {
  cloud = await startCloud();
  [victim, attacker] = [await signIn(cloud, 'victim@example.org'), await signIn(cloud, 'attacker@example.org')];
  staff = await signInStaff(cloud, 'staff@example.org');
  [victimsKey, attackersKey] = [await certifiedKey(cloud, victim), await certifiedKey(cloud, attacker)];
  await cloud.upload(picture);
  secret = makeOp('survey', { ...surveyOp(uid(victim)).body, private: true, name: 'Secret' }, { by: uid(victim) });
  const image = imageOp(secret.docId, picture);
  expect(await isAccepted([signedBy(victimsKey, secret), image], HOME)).toEqual([true, true]);
});
afterAll(() => cloud.close());

describe('attacks on authorship', () => {
  it.each([
    ['an edit', () => edit(secret, uid(attacker))],
    ['a photograph', () => ({ ...imageOp(secret.docId, picture), by: uid(attacker) })],
    [
      'an analysis',
      () =>
        makeOp(
          'analysis',
          { id: newId(), survey: { id: secret.docId }, image: { id: newId() }, user: { uid: uid(attacker) } },
          { by: uid(attacker) },
        ),
    ],
  ])(
    'protocol, Signatures: %s of a known id through another box does not reveal a private survey',
    async (_what, make) => {
      for (const signed of [false, true]) {
        const op = signed ? signedBy(attackersKey, make()) : make();
        expect(await isAccepted([op], HOSTILE)).toEqual([false]);
        expect([...(await seenBy(attacker))]).not.toContain(secret.opId);
      }
      const { rowCount } = await cloud.cloud.context.database.pool.query(
        'SELECT FROM grants WHERE topic = $1 AND subject <> ALL($2)',
        [secret.docId, [`person:${uid(victim)}`, `node:${HOME}`]],
      );
      expect(rowCount).toBe(0);
      expect(await nameOf(secret.docId)).toBe('Secret');
    },
  );

  it('protocol, Signatures: a receipt of another box opens no more than that box', async () => {
    // The box that vouches is named by its receipt; the tablet that shows it gains nothing.
    const tablet = await registerDevice(cloud, attacker);
    expect(await isAccepted([edit(secret, uid(attacker))], undefined, tablet)).toEqual([false]);
  });

  it('protocol, Who may write ashore: an analysis opens neither its survey nor other analyses to writing', async () => {
    const open = surveyOp(uid(victim), { by: uid(victim) });
    const analysis = (by: string, device: string) =>
      makeOp(
        'analysis',
        { id: newId(), survey: { id: open.docId }, image: { id: newId() }, user: { uid: by } },
        { by: by as never },
        device,
      );
    const theirs = analysis(uid(victim), newId());
    expect(await isAccepted([open, theirs], undefined, victim.session)).toEqual([true, true]);
    // Anyone signed in may add an analysis, also in the name of a person whom only their tablet knows.
    const tablet = await registerDevice(cloud, attacker);
    const [device, invented] = [newId(), newId() as NonNullable<Op['by']>];
    const own = analysis(invented, device);
    const from = (op: Op, n: number): Op => ({ ...op, opId: `${device}-${1000 + n}` as Op['opId'] });
    const changed = (of: Op): Op =>
      makeOp('analysis', { ...of.body, stats: { coverage: 1 } }, { by: invented, over: { '*': [of.opId] }, lc: 2 });
    expect(await isAccepted([own], undefined, tablet)).toEqual([true]);
    const image = { ...imageOp(open.docId, picture), by: invented };
    const attempts = [edit(open, invented), image, changed(theirs), edit(open, uid(attacker))];
    expect(await isAccepted(attempts.map(from), undefined, tablet)).toEqual([false, false, false, false]);
    expect(await nameOf(open.docId)).toBe(open.body['name']);
    expect(await isAccepted([from(changed(own), 9)], undefined, tablet), 'their own they may change').toEqual([true]);
  });

  it.each(['an edit', 'a photograph'])(
    'protocol, Signatures: %s in the name of a person with access shows the survey to no other box',
    async (what) => {
      const op =
        what === 'an edit' ? edit(secret, uid(victim)) : { ...imageOp(secret.docId, picture), by: uid(victim) };
      // The same again, known by now, and through a third box.
      await isAccepted([op], HOSTILE);
      await isAccepted([op], HOSTILE);
      await isAccepted([op], 'BoxOfAnAttacker2');
      const { rows } = await cloud.cloud.context.database.pool.query<{ subject: string }>(
        'SELECT subject FROM grants WHERE topic = $1',
        [secret.docId],
      );
      expect(rows.map(({ subject }) => subject).filter((subject) => subject.startsWith('node:BoxOfAn'))).toEqual([]);
      expect(JSON.stringify((await cloud.get(`/api/changes?since=0&node=${HOSTILE}`)).body)).not.toContain(secret.opId);
    },
  );

  it.each(['tablet', 'session'])(
    'protocol, Who may write ashore: what a %s brought first, and was held, shows the survey to no box',
    async (first) => {
      const box = `Box${newId().slice(0, 13)}`;
      const token = first === 'tablet' ? await registerDevice(cloud, attacker) : attacker.session;
      const op = edit(secret, uid(victim));
      expect(await isAccepted([op], undefined, token)).toEqual([false]);
      // Taken at its word, the box may write, and reads nothing by it.
      expect(await isAccepted([op, op], box)).toEqual([true, true]);
      expect(JSON.stringify((await cloud.get(`/api/changes?since=0&node=${box}`)).body)).not.toContain(secret.opId);
    },
  );

  it('protocol, Who may write ashore: another tablet’s id continues no work that its key signed', async () => {
    const [crew, crewsKey, crewsId] = [newId() as NonNullable<Op['by']>, newDeviceKey(), newId()];
    const body = { ...surveyOp(crew).body, private: true };
    const theirs = signedBy(crewsKey, makeOp('survey', body, { by: crew }, crewsId));
    expect(await isAccepted([theirs], HOME)).toEqual([true]);
    const under = (by: NonNullable<Op['by']>, number: number): Op => ({
      ...edit(theirs, by),
      opId: `${crewsId}-${number}` as Op['opId'],
    });
    const tablet = await registerDevice(cloud, attacker);
    const attempts = [
      under(uid(attacker), 9001),
      signedBy(attackersKey, under(uid(attacker), 9002)),
      under(crew, 9003),
      signedBy(attackersKey, under(crew, 9004)),
    ];
    for (const attempt of attempts) expect(await isAccepted([attempt], undefined, tablet)).toEqual([false]);
    expect((await seenBy(attacker)).has(theirs.opId)).toBe(false);
    // The next user of that tablet continues.
    const same = await registerDevice(cloud, victim, crewsId);
    expect(await isAccepted([signedBy(crewsKey, under(uid(victim), 9005))], undefined, same)).toEqual([true]);
  });

  it('protocol, Signatures: a profile written in a pending person’s name shows theirs to no other box', async () => {
    const pending = newId() as NonNullable<Op['by']>;
    const profile = (email: string) => makeOp('profile', { uid: pending, email }, { by: pending });
    expect(await isAccepted([profile('pending@example.org')], HOME)).toEqual([true]);
    await isAccepted([profile('other@example.org')], HOSTILE);
    // On a tablet first, where it is held.
    const held = profile('third@example.org');
    expect(await isAccepted([held], undefined, await registerDevice(cloud, attacker))).toEqual([false]);
    await isAccepted([held, held], HOSTILE);
    const { body } = await cloud.get(`/api/changes?since=0&node=${HOSTILE}`);
    expect(JSON.stringify(body)).not.toContain('pending@example.org');
  });

  it('protocol, Signatures: a part of a photograph that arrives before it holds up no honest work', async () => {
    const whole = { ...imageOp(secret.docId, picture), by: uid(victim) };
    const part = edit(whole, uid(victim), { keptAsIs: true });
    expect(await isAccepted([part], HOME)).toEqual([true]);
    expect(await isAccepted([whole], HOME)).toEqual([true]);
  });

  it('protocol, Signatures: only its own person renames an account, through any relay', async () => {
    const renamed = (by?: Op['by']) =>
      makeOp(
        'profile',
        { uid: uid(victim), name: { first: 'Staff', last: 'Support' } },
        by === undefined ? {} : { by },
      );
    const tablet = await registerDevice(cloud, attacker);
    for (const op of [
      renamed(),
      renamed(uid(victim)),
      signedBy(attackersKey, renamed(uid(victim))),
      signedBy(newDeviceKey(), renamed()),
    ]) {
      expect(await isAccepted([op], HOSTILE)).toEqual([false]);
      expect(await isAccepted([{ ...op, opId: `${newId()}-1` }], undefined, tablet)).toEqual([false]);
    }
    expect((await cloud.get<{ user: { name: unknown } }>('/api/me', victim.session)).body.user.name).not.toMatchObject({
      last: 'Support',
    });
    const own = signedBy(victimsKey, makeOp('profile', { uid: uid(victim), name: { first: 'Vera', last: 'Lind' } }));
    expect(await isAccepted([own], HOSTILE), 'their own signature counts through any box').toEqual([true]);
  });

  it('protocol, Signatures: a signature covers every member, the author too', async () => {
    const own = signedBy(victimsKey, surveyOp(uid(victim), { by: uid(victim) }));
    for (const forged of [
      { ...own, by: uid(attacker) },
      { ...own, lc: 7 },
      { ...own, opId: `${newId()}-1` },
      { ...own, sig: { key: attackersKey.x, value: own.sig!.value } },
    ] as Op[])
      expect(await isAccepted([{ ...forged, opId: `${newId()}-9` }], HOME)).toEqual([false]);
    const { body } = await cloud.get<{ items: { op: Op; reason: string }[] }>(
      '/api/quarantine?limit=1000',
      staff.session,
    );
    const forged = body.items.filter(({ op }) => op.docId === own.docId);
    expect(forged.map(({ reason }) => reason)).toEqual(
      Array(4).fill('Its signature does not match. It is safe until staff review it.'),
    );
    expect(await isAccepted([own], HOME)).toEqual([true]);
  });

  it('protocol, Signatures: no role counts without its holder’s signature', async () => {
    const expert = await signInAs(cloud, 'is_expert');
    const key = await certifiedKey(cloud, expert);
    const claim = () =>
      makeOp(
        'analysis',
        {
          id: newId(),
          survey: { id: secret.docId },
          image: { id: newId() },
          user: { uid: uid(expert) },
          isExpert: true,
        },
        { by: uid(expert) },
      );
    const [unsigned, forged, own] = [claim(), signedBy(attackersKey, claim()), signedBy(key, claim())];
    expect(await isAccepted([unsigned, forged, own], HOME)).toEqual([true, true, true]);
    const roles = await Promise.all(
      [unsigned, forged, own].map(
        async ({ docId }) => (await cloud.cloud.context.store.document('analysis', docId))?.roles,
      ),
    );
    expect(roles).toEqual([[], [], ['isExpert']]);
  });

  it('protocol, Device keys: work signed before its key was certified counts from then on, and until it is revoked', async () => {
    const key = newDeviceKey();
    const person = await signIn(cloud, 'offline@example.org');
    const profile = (first: string) =>
      signedBy(key, makeOp('profile', { uid: uid(person), name: { first, last: 'Sea' } }, { by: uid(person) }));
    expect(await isAccepted([profile('Before')], HOSTILE)).toEqual([false]);
    expect((await askToCertify(cloud, person, key)).status).toBe(200);
    const stored = await cloud.cloud.context.store.document('profile', uid(person));
    expect(stored?.folded.doc['name']).toMatchObject({ first: 'Before' });
    const id = newId();
    await registerDevice(cloud, person, id);
    const again = await signIn(cloud, 'offline@example.org');
    await registerDevice(cloud, again, id);
    expect((await cloud.post('/api/devices/revoke', { device: { id } }, again.session)).status).toBe(200);
    expect(await isAccepted([profile('Thief')], HOSTILE)).toEqual([false]);
    expect((await askToCertify(cloud, again, key)).body).toMatchObject({ error: { code: 'forbidden', field: 'key' } });
  });

  it('protocol, Device keys: a session stays with its key, and a key is certified only by its own answer', async () => {
    const person = await signIn(cloud, 'bound@example.org');
    const key = await certifiedKey(cloud, person);
    expect((await askToCertify(cloud, person, newDeviceKey())).status).toBe(401);
    expect((await askToCertify(cloud, person, key)).status).toBe(200);
    const other = await signIn(cloud, 'bound@example.org');
    for (const answer of [key.sign('anything'), key.sign(signedOpText(surveyOp()))])
      expect((await cloud.post('/api/auth/key', { key: key.x, answer }, other.session)).status).toBe(401);
  });
});
