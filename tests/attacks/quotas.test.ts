import { utimesSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../cloud-sync/api/access/caller';
import { QUOTAS } from '../../cloud-sync/api/access/quotas';
import { ORPHAN_MS } from '../../cloud-sync/api/accounts/people/unused-photos';
import { IDLE_PARTIAL_MS } from '../../src/server/blobs/idle-partials';
import type { CloudOpResult } from '../../src/protocol/cloud-http';
import { network } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { imageOp, newId, photograph, sha256, surveyOp } from '../support/servers/edge-client';
import type { SignedIn } from '../support/servers/people';
import { registerDevice, signIn, signInAs } from '../support/servers/people';

// Databases are made one after the other on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const EACH = { ops: 6, announcements: 4, bytes: 3000 };
const NETWORK = { ops: 12, announcements: 8, bytes: 6000 };
const DAY_MS = 24 * 60 * 60_000;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly error?: { readonly code: string; readonly retryable: boolean } };
}

function callsOf(cloud: () => TestCloud) {
  const call = async (
    place: string,
    { body, token, from }: { readonly body: object; readonly token: string; readonly from: string },
  ): Promise<Answer> => {
    const answer = await fetch(new URL(place, cloud().url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-forwarded-for': from },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
  return {
    async ops(
      ops: readonly object[],
      token: string,
      from = network(),
      node?: string,
    ): Promise<readonly CloudOpResult[]> {
      const { body } = await call('/api/ops', { body: { ops, ...(node === undefined ? {} : { node }) }, token, from });
      return (body as unknown as { results: CloudOpResult[] }).results;
    },
    announce: (content: Uint8Array, token: string, from = network()) =>
      call('/api/uploads', {
        body: { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' },
        token,
        from,
      }),
    async put(uploadId: unknown, bytes: Uint8Array, token: string, from = network(), offset = 0): Promise<number> {
      const answer = await fetch(new URL(`/api/uploads/${String(uploadId)}`, cloud().url), {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/partial-upload',
          'upload-offset': String(offset),
          'x-forwarded-for': from,
        },
        body: Uint8Array.from(bytes),
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}
const codes = (results: readonly CloudOpResult[]) =>
  results.map((one) => ('error' in one ? one.error.code : 'receipt' in one ? 'receipt' : 'needs'));

describe('an anonymous visitor: quotas of a day', () => {
  let ahead = 0;
  let cloud: TestCloud;
  let visitor: SignedIn;
  const { ops, announce, put } = callsOf(() => cloud);
  beforeAll(async () => {
    cloud = await startCloud({ hooks: { quotas: { each: EACH, network: NETWORK }, clock: () => Date.now() + ahead } });
    visitor = await signInAs(cloud, 'anonymous');
  });
  afterAll(() => cloud.close());
  const surveys = (count: number, { user }: SignedIn = visitor) =>
    Array.from({ length: count }, () => surveyOp(user.uid));

  it('a person’s operations are accepted up to the quota, from any network, and the next is asked to wait', async () => {
    expect(codes(await ops(surveys(4), visitor.session))).toEqual(Array(4).fill('receipt'));
    const last = surveys(3);
    const results = await ops(last, visitor.session);
    expect(codes(results)).toEqual(['receipt', 'receipt', 'rate-limited']);
    expect(results[2]).toMatchObject({ opId: last[2]!.opId, error: { retryable: true } });
    expect(codes(await ops(surveys(1), visitor.session))).toEqual(['rate-limited']);
    // Another day, and nothing was lost.
    ahead += DAY_MS;
    expect(codes(await ops([last[2]!], visitor.session))).toEqual(['receipt']);
  });

  it('a tablet has its own quota, whoever is signed in, and a network one over all of them', async () => {
    ahead += DAY_MS;
    const from = network();
    const [one, two] = [await signIn(cloud, 'one@example.org'), await signIn(cloud, 'two@example.org')];
    const tablet = await registerDevice(cloud, one);
    expect(codes(await ops(surveys(7, one), tablet, from))).toEqual([...Array(6).fill('receipt'), 'rate-limited']);
    expect(codes(await ops(surveys(7, two), two.session, from))).toEqual([...Array(6).fill('receipt'), 'rate-limited']);
    const third = await signInAs(cloud, 'anonymous', 'third@example.org');
    expect(codes(await ops(surveys(1, third), third.session, from)), 'the network is used up').toEqual([
      'rate-limited',
    ]);
    expect(codes(await ops(surveys(1, third), third.session))).toEqual(['receipt']);
    expect(codes(await ops(surveys(1), cloud.boxToken, from, newId())), 'boxes are not counted').toEqual(['receipt']);
    expect(codes(await ops(surveys(1), STAFF_TOKEN, from)), 'nor are staff').not.toContain('rate-limited');
  });

  it('announcements and bytes have quotas; at the limit exactly they pass', async () => {
    ahead += DAY_MS;
    const [first, second, third] = [photograph(2000), photograph(1000), photograph(900)];
    const begun = [await announce(first, visitor.session), await announce(second, visitor.session)];
    expect(await put(begun[0]!.body['uploadId'], first, visitor.session)).toBe(200);
    expect(await put(begun[1]!.body['uploadId'], second, visitor.session)).toBe(200);
    const more = await announce(third, visitor.session);
    expect(more.status).toBe(200);
    expect(await put(more.body['uploadId'], third.subarray(0, 100), visitor.session)).toBe(429);
    expect((await announce(photograph(90), visitor.session)).status).toBe(200);
    const refused = await announce(photograph(90), visitor.session);
    expect([refused.status, refused.body.error]).toMatchObject([429, { code: 'rate-limited', retryable: true }]);
    ahead += DAY_MS;
    expect(await put(more.body['uploadId'], third, visitor.session)).toBe(200);
  });

  it('bytes that did not arrive are not counted, and uploads side by side share what is left', async () => {
    ahead += DAY_MS;
    const content = photograph(2000);
    const begun = await announce(content, visitor.session);
    expect(await put(begun.body['uploadId'], content, visitor.session, network(), 7)).toBe(409);
    expect(await put(begun.body['uploadId'], content, visitor.session)).toBe(200);
    const both = [photograph(600), photograph(600)];
    const uploads = await Promise.all(both.map((one) => announce(one, visitor.session)));
    const statuses = await Promise.all(uploads.map(({ body }, i) => put(body['uploadId'], both[i]!, visitor.session)));
    expect(statuses.sort()).toEqual([200, 429]);
  });

  it('uploads that announce no length take what they lack', async () => {
    ahead += DAY_MS;
    const both = [photograph(2000), photograph(2000)];
    const statuses: number[] = [];
    for (const content of both) {
      const { body } = await announce(content, visitor.session);
      const answer = await fetch(new URL(`/api/uploads/${String(body['uploadId'])}`, cloud.url), {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${visitor.session}`,
          'content-type': 'application/partial-upload',
          'upload-offset': '0',
          'x-forwarded-for': network(),
        },
        body: new Blob([Uint8Array.from(content)]).stream(),
        duplex: 'half',
      } as RequestInit);
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 429]);
  });
});

describe('an honest crew ashore', () => {
  it('twelve tablets that deliver two weeks of 500 photographs at once meet no quota', async () => {
    const cloud = await startCloud();
    const { quotas } = cloud.cloud.context;
    const days = 14;
    const photographs = 500 * days;
    for (let n = 0; n < 12; n++) {
      const caller: Caller = {
        roles: new Set(['anyone', 'device']),
        person: null,
        deviceId: `Tablet000000000${n}`,
        node: null,
        uploadOwner: `Person000000000${n}` as never,
      };
      // Each photograph has a record and one edit, and is 7 MB on average.
      expect(quotas.takeUpTo('ops', 2 * photographs, caller, '198.51.100.1')).toBe(2 * photographs);
      for (let i = 0; i < photographs; i++) {
        quotas.take('announcements', 1, caller, '198.51.100.1');
        quotas.take('bytes', 7_000_000, caller, '198.51.100.1');
      }
    }
    expect(QUOTAS.network.ops).toBeGreaterThanOrEqual(12 * 2 * photographs);
    await cloud.close();
  });
});

describe('an anonymous visitor: uploads that nothing names', () => {
  let ahead = 0;
  let cloud: TestCloud;
  const { ops, announce, put } = callsOf(() => cloud);
  beforeAll(async () => {
    cloud = await startCloud({ hooks: { clock: () => Date.now() + ahead } });
  });
  afterAll(() => cloud.close());

  it('whole uploads without a record go after their time, and named ones stay', async () => {
    const visitor = await signInAs(cloud, 'anonymous');
    const [orphan, named, held] = [photograph(500), photograph(600), photograph(700)];
    for (const content of [orphan, named, held]) {
      const { body } = await announce(content, visitor.session);
      expect(await put(body['uploadId'], content, visitor.session)).toBe(200);
    }
    const survey = surveyOp(visitor.user.uid);
    const images = [imageOp(survey.docId, named), imageOp(survey.docId, held)];
    expect(codes(await ops([survey, images[0]!], visitor.session))).toEqual(['receipt', 'receipt']);
    // In quarantine, as another photograph has this id.
    const clash = { ...imageOp(survey.docId, held, images[0]!.docId) };
    expect(await ops([clash], visitor.session)).toMatchObject([{ receipt: { accepted: false } }]);
    const { housekeeping, blobs } = cloud.cloud.context;
    const here = () => Promise.all([orphan, named, held].map((content) => blobs.has(sha256(content))));
    await housekeeping.run();
    ahead = ORPHAN_MS - 2 * 60 * 60_000;
    await housekeeping.run();
    expect(await here()).toEqual([true, true, true]);
    ahead = ORPHAN_MS + 60_000;
    await housekeeping.run();
    expect(await here()).toEqual([false, true, true]);
    // A record that comes after all has its bytes asked for again.
    const late = imageOp(survey.docId, orphan);
    expect(await ops([late], visitor.session)).toMatchObject([{ needs: [sha256(orphan)] }]);
    const again = await announce(orphan, visitor.session);
    expect(again.body).toMatchObject({ complete: false, offset: 0 });
    expect(await put(again.body['uploadId'], orphan, visitor.session)).toBe(200);
    await vi.waitFor(async () => expect(codes(await ops([late], visitor.session))).toEqual(['receipt']), 30_000);
  });

  it('unfinished uploads go after their time, and newer ones stay', async () => {
    const visitor = await signInAs(cloud, 'anonymous', 'unfinished@example.org');
    const begun: string[] = [];
    for (const content of [photograph(500), photograph(600)]) {
      const { body } = await announce(content, visitor.session);
      expect(await put(body['uploadId'], content.subarray(0, 100), visitor.session)).toBe(200);
      begun.push(String(body['uploadId']));
    }
    const { blobs, clock, housekeeping } = cloud.cloud.context;
    const old = new Date(clock() - IDLE_PARTIAL_MS - 60_000);
    for (const ending of ['part', 'json'])
      utimesSync(path.join(cloud.home, 'cloud', 'partials', `${begun[0]!}.${ending}`), old, old);
    const young = new Date(clock() - IDLE_PARTIAL_MS + 60 * 60_000);
    utimesSync(path.join(cloud.home, 'cloud', 'partials', `${begun[1]!}.part`), young, young);
    utimesSync(path.join(cloud.home, 'cloud', 'partials', `${begun[1]!}.json`), old, old);
    await housekeeping.run();
    await expect(blobs.transfer(begun[0]!)).rejects.toMatchObject({ code: 'not-found' });
    expect(await blobs.transfer(begun[1]!)).toMatchObject({ offset: 100, complete: false });
  });
});

describe('an anonymous visitor: event streams', () => {
  const STREAMS = { perCaller: 3, perNetwork: 5, heartbeatMs: 100 };
  let cloud: TestCloud;
  beforeAll(async () => {
    cloud = await startCloud({ hooks: { streams: STREAMS } });
  });
  afterAll(() => cloud.close());

  /** Opens a stream; `ended` resolves when the service ends it. */
  async function openStream(
    token: string,
    from: string,
  ): Promise<{ status: number; ended: Promise<void>; isOpen(): boolean }> {
    const answer = await fetch(`${cloud.url}/api/changes/stream`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': from },
    });
    let isOpen = answer.status === 200;
    const ended = answer.text().then(
      () => void (isOpen = false),
      () => void (isOpen = false),
    );
    return { status: answer.status, ended, isOpen: () => isOpen };
  }

  it('a caller has its streams, and one more ends the oldest', async () => {
    const { session } = await signInAs(cloud, 'anonymous');
    const streams = [];
    for (let i = 0; i < STREAMS.perCaller; i++) streams.push(await openStream(session, network()));
    await cloud.ops([surveyOp()], undefined, STAFF_TOKEN);
    expect(streams.map((stream) => stream.isOpen())).toEqual([true, true, true]);
    const newest = await openStream(session, network());
    await streams[0]!.ended;
    expect([...streams.slice(1), newest].map((stream) => stream.isOpen())).toEqual([true, true, true]);
    await cloud.post('/api/auth/sign-out', {}, session);
    await Promise.all([...streams, newest].map(({ ended }) => ended));
  });

  it('a network has its streams, and one more is asked to wait', async () => {
    const from = network();
    const people = [await signIn(cloud, 'a@example.org'), await signIn(cloud, 'b@example.org')];
    const open = [];
    for (let i = 0; i < STREAMS.perNetwork; i++) open.push(await openStream(people[i % 2]!.session, from));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await openStream(people[1]!.session, from)).status).toBe(429);
    expect((await openStream(people[1]!.session, network())).status).toBe(200);
    for (const { session } of people) await cloud.post('/api/auth/sign-out', { everywhere: true }, session);
    await Promise.all(open.map(({ ended }) => ended));
  });

  it('a stream ends with its session or its revoked tablet, and lives on with a valid one', async () => {
    const person = await signIn(cloud, 'reader@example.org');
    const device = { id: newId(), name: 'Tablet' };
    const tablet = await registerDevice(cloud, person, device.id);
    const [own, tablets] = [await openStream(person.session, network()), await openStream(tablet, network())];
    const { body } = await cloud.get<{ devices: { id: string }[] }>('/api/devices', person.session);
    expect(
      (await cloud.post('/api/devices/revoke', { device: { id: body.devices[0]!.id } }, person.session)).status,
    ).toBe(200);
    await tablets.ended;
    expect(own.isOpen()).toBe(true);
    await cloud.post('/api/auth/sign-out', {}, person.session);
    await own.ended;
  });
});
