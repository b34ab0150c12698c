import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QuarantineGroup } from '../../src/protocol/quarantine';
import { QUARANTINE_AT_ONCE } from '../../src/protocol/quarantine';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import { askToCertify, newDeviceKey, signedBy } from '../support/servers/device-keys';
import { makeOp, newId, surveyOp } from '../support/servers/edge-client';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn, signInAs, signInStaff } from '../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** More than the console shows one by one, and than one request releases. */
const FLOOD = QUARANTINE_AT_ONCE + 10;
let cloud: TestCloud;
let staff: SignedIn;
let tablet: string;
let honest: ReturnType<typeof surveyOp>;

beforeAll(async () => {
  cloud = await startCloud();
  staff = await signInStaff(cloud, 'staff@example.org');
  const visitor = await signInAs(cloud, 'anonymous');
  tablet = await registerDevice(cloud, visitor);
  const person = await signIn(cloud, 'honest@example.org');
  const flood = Array.from({ length: FLOOD }, (_, n) => ({ ...surveyOp(visitor.user.uid), schema: 90 + (n % 7) }));
  await cloud.ops(flood.slice(0, FLOOD / 2), undefined, tablet);
  honest = { ...surveyOp(person.user.uid), schema: 99 };
  const wrong = makeOp('profile', { uid: person.user.uid }, { by: person.user.uid as never, schema: 99 });
  await cloud.ops([honest, wrong], undefined, person.session);
  await cloud.ops(flood.slice(FLOOD / 2), undefined, tablet);
});
afterAll(() => cloud.close());

interface Groups extends Record<string, unknown> {
  readonly groups: readonly QuarantineGroup[];
  readonly total: number;
}
interface Items extends Record<string, unknown> {
  readonly items: readonly { readonly seq: number; readonly op: { readonly opId: string } }[];
  readonly next: number;
  readonly more: boolean;
}
const groups = (query = '') =>
  cloud.get<Groups>(`/api/quarantine/groups?${query}`, staff.session).then(({ body }) => body);
const items = (query = '') => cloud.get<Items>(`/api/quarantine?${query}`, staff.session).then(({ body }) => body);
const post = (what: string, body: object) => cloud.post(`/api/quarantine/${what}`, body, staff.session);
const page = async (place: string, fields?: Record<string, string>) => {
  const answer = await fetch(cloud.url + place, {
    ...(fields === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    headers: { cookie: `reef-console=${staff.session}` },
    redirect: 'manual',
  });
  return { status: answer.status, text: await answer.text() };
};

describe('an anonymous visitor: a flood in quarantine', () => {
  it('the flood is one group, and the honest record is in the first ones', async () => {
    const { groups: byReason, total } = await groups();
    expect(total).toBe(FLOOD + 2);
    expect(byReason.map(({ kind, count }) => [kind, count])).toEqual([
      ['profile', 1],
      ['survey', FLOOD + 1],
    ]);
    const { groups: bySender } = await groups(
      new URLSearchParams({ by: 'submitter', kind: 'survey', reason: byReason[1]!.reason! }).toString(),
    );
    expect(bySender.map(({ count }) => count)).toEqual([1, FLOOD]);
    const own = await items(new URLSearchParams({ kind: 'survey', submitter: bySender[0]!.submitter! }).toString());
    expect(own.items.map(({ op }) => op.opId)).toEqual([honest.opId]);
  });

  it('a search finds it, and pages reach every record once', async () => {
    expect((await items(`q=${honest.docId.toLowerCase()}`)).items.map(({ op }) => op.opId)).toEqual([honest.opId]);
    const seen = new Set<string>();
    for (let since = 0; ;) {
      const listed = await items(`since=${since}&limit=100`);
      for (const { op } of listed.items) seen.add(op.opId);
      if (listed.items.length === 0) break;
      since = listed.next;
    }
    expect(seen.size).toBe(FLOOD + 2);
  });

  it('the console shows groups, a group by sender, and acts on the ticked', async () => {
    const fleet = (await page('/console')).text;
    expect(fleet).toContain(`${FLOOD + 2} records held for a person`);
    expect(fleet).toContain('See them');
    expect(fleet).not.toContain(honest.docId);
    const group = (await page('/console/held?kind=survey')).text;
    expect(group).toContain('Who sent them');
    expect(group).toContain('Next page');
    const found = (await page(`/console/held?q=${honest.docId}`)).text;
    expect(found).toContain(`name="op:${honest.opId}"`);
    expect((await page('/console/held', { do: 'dismiss', [`op:${honest.opId}`]: 'yes' })).status).toBe(303);
    expect((await page('/console/held?dismissed=true')).text).toContain(honest.docId);
    expect((await groups()).total).toBe(FLOOD + 1);
    expect(
      (await page('/console/held', { do: 'restore', dismissed: 'true', [`op:${honest.opId}`]: 'yes' })).status,
    ).toBe(303);
    expect((await page('/console/held', { do: 'release', [`op:${honest.opId}`]: 'yes' })).status).toBe(303);
    expect((await items(`q=${honest.docId}`)).items).toEqual([]);
    expect((await page('/console/held', { do: 'release' })).status).toBe(400);
  });

  it('all of a group are dismissed after a question, but for those that come meanwhile', async () => {
    const { groups: bySender } = await groups('by=submitter&kind=survey');
    const { submitter, count, lastSeq } = bySender[0]!;
    expect(count).toBe(FLOOD);
    const late = { ...surveyOp(), schema: 90 };
    await cloud.ops([late], undefined, tablet);
    const fields = { do: 'dismiss', kind: 'survey', submitter: submitter!, upTo: String(lastSeq) };
    const question = await page('/console/held', fields);
    expect(question.text).toContain('Dismiss all of them?');
    expect((await groups()).total).toBe(FLOOD + 2);
    expect((await page('/console/held', { ...fields, sure: 'yes' })).text).toContain(`${FLOOD} records dismissed`);
    expect((await items()).items.map(({ op }) => op.opId)).toContain(late.opId);
    expect((await groups()).total).toBe(2);
    expect((await groups('dismissed=true')).total).toBe(FLOOD);
  });

  it('a group is released in parts, with receipts, dismissed or not', async () => {
    const group = { kind: 'survey', dismissed: true };
    const upTo = Number.MAX_SAFE_INTEGER;
    expect((await post('release', { group, upTo })).body).toMatchObject({
      done: QUARANTINE_AT_ONCE,
      failed: [],
      left: 10,
    });
    expect((await post('release', { group, upTo })).body).toMatchObject({ done: 10, failed: [], left: 0 });
    expect((await groups('dismissed=true')).total).toBe(0);
    const unknown = await post('release', { opIds: [`${newId()}-1`] });
    expect(unknown.body).toMatchObject({ done: 0, failed: [{ error: { code: 'not-found' } }] });
    const tooMany = Array.from({ length: QUARANTINE_AT_ONCE + 1 }, (_, n) => `${newId()}-${n + 1}`);
    expect((await post('release', { opIds: tooMany })).status).toBe(400);
    expect((await post('dismiss', { opIds: tooMany.slice(1) })).status).toBe(200);
  });

  it('a flood whose records are each wrong in another way is one group too', async () => {
    const fields = ['name', 'date', 'since', 'timeIn', 'timeofday', 'camera'];
    const wrong = [1, true, [], {}];
    const flood = Array.from({ length: FLOOD }, (_, n) =>
      makeOp('survey', {
        id: newId(),
        user: { uid: newId() },
        ...Object.fromEntries([0, 1, 2].map((place) => [fields[(n >> 6) + place]!, wrong[(n >> (2 * place)) & 3]!])),
      }),
    );
    await cloud.ops(flood, undefined, tablet);
    const late = makeOp('profile', { uid: newId(), name: { first: 'H', last: 'C' } }, { schema: 99 });
    await cloud.ops([late], undefined, tablet);
    const { groups: byReason } = await groups();
    expect(byReason.map(({ kind }) => kind)).toContain('profile');
    expect(byReason.at(-1)).toMatchObject({ kind: 'survey', count: FLOOD });
  });

  it('a page of large records ends early, tells of more, and reaches every record once', async () => {
    const uid = newId();
    const large = Array.from({ length: 6 }, (_, n) =>
      makeOp('survey', { id: newId(), user: { uid }, notes: `${n} ${'x'.repeat(1_900_000)}` }, { schema: 99 }),
    );
    for (const op of large) await cloud.ops([op], undefined, tablet);
    const found: string[] = [];
    for (let since = 0, more = true; more;) {
      const listed = await items(`q=${uid.toLowerCase()}&since=${since}`);
      expect(listed.items.length).toBeLessThanOrEqual(4);
      found.push(...listed.items.map(({ op }) => op.opId));
      ({ next: since, more } = listed);
    }
    expect(found).toEqual(large.map(({ opId }) => opId));
    expect((await page(`/console/held?q=${uid}`)).text).toContain('Next page');
    const [first, ...others] = found;
    expect((await items(`q=${uid.toLowerCase()}&limit=1`)).items.map(({ op }) => op.opId)).toEqual([first]);
    expect((await items(`q=${others.at(-1)?.toLowerCase()}&limit=1`)).more).toBe(false);
  });

  it('a flood in another’s name holds up nothing of theirs when they sign in', async () => {
    const victim = await signIn(cloud, 'named@example.org');
    const by = victim.user.uid as never;
    const key = newDeviceKey();
    // One more than a page of what is judged again.
    const flood = Array.from({ length: 101 }, () => surveyOp(by));
    const own = signedBy(key, surveyOp(by));
    expect(
      (await cloud.ops([...flood, own], undefined, tablet)).map((one) => 'receipt' in one && one.receipt.accepted),
    ).not.toContain(true);
    expect((await askToCertify(cloud, victim, key)).status).toBe(200);
    expect(await cloud.cloud.context.store.document('survey', own.docId)).toBeDefined();
    expect(await cloud.cloud.context.store.document('survey', flood[0]!.docId)).toBeUndefined();
  });
});
