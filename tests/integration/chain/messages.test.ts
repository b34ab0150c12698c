import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import { EdgeSocket } from '../../../src/data/transport/edge/edge-socket';
import { ReefError } from '../../../src/domain/errors';
import { checkReceiptMatches, type Receipt } from '../../../src/protocol/receipt';
import { freePort } from '../../support/servers/free-port';
import { startCloud, type TestCloud } from '../../support/servers/cloud';
import { startEdge, type EdgeProcess } from '../../support/servers/edge';
import {
  imageOp,
  makeOp,
  newId,
  pairedClient,
  photograph,
  sha256,
  surveyOp,
  type EdgeClient,
} from '../../support/servers/edge-client';
import { registerDevice, signIn, signInAs, signInStaff } from '../../support/servers/people';
import { ManualClock, nodeHost, openTestTablet } from '../../support/tablet/tablet';

// Starting two servers is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let edge: EdgeProcess;
let cloud: TestCloud;
let client: EdgeClient;
let tablet: Awaited<ReturnType<typeof openTestTablet>>;
let credential: string;
let admin: string;
let staff: string;
const stranger = newId();

beforeAll(async () => {
  [edge, cloud, tablet] = await Promise.all([startEdge(), startCloud(), openTestTablet()]);
  client = await pairedClient(edge);
  credential = await registerDevice(cloud, await signIn(cloud, 'ana@example.org'));
  admin = (await signInAs(cloud, 'admin')).session;
  staff = (await signInStaff(cloud, 'staff@example.org')).session;
  const { pool } = cloud.cloud.context.database;
  await replaceReferenceDocuments(pool, 'events', [{ id: newId(), handle: 'reefweek', regionId: 'gbr' }]);
  await cloud.post('/api/admin/link', { email: 'ana@example.org', handle: 'reefweek' }, admin);
});
afterAll(async () => {
  client.close();
  await tablet.close();
  await Promise.all([edge.remove(), cloud.close()]);
});

/** Sentence with which a server or the tablet's data layer answers. */
type Answer = () => Promise<string | undefined>;

const aboard =
  (event: string, message: () => unknown): Answer =>
  async () =>
    (await client.send(event, message())).error?.message;

/** Answer of the box or the cloud to one operation in a batch. */
const inBatch =
  (node: 'box' | 'cloud', op: () => object): Answer =>
  async () => {
    const isBox = node === 'box';
    const answer = await fetch(isBox ? `${edge.url}/edge/ops` : `${cloud.url}/api/ops`, {
      method: 'POST',
      headers: { authorization: `Bearer ${isBox ? edge.adminToken : credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ops: [op()] }),
    });
    const { results } = (await answer.json()) as { results: { error?: { message: string } }[] };
    return results[0]?.error?.message;
  };

const boxHttp =
  (path: string, body: object): Answer =>
  async () => {
    const answer = await fetch(edge.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return ((await answer.json()) as { error?: { message: string } }).error?.message;
  };

const ashore =
  (method: 'GET' | 'POST', path: string, session: () => string | null, body: object = {}): Answer =>
  async () => {
    const answer =
      method === 'GET'
        ? await cloud.get<{ error?: { message: string } }>(path, session())
        : await cloud.post<{ error?: { message: string } }>(path, body, session());
    return answer.body.error?.message;
  };

/** Refusal of the tablet's data layer. */
const onTablet =
  (task: (of: typeof tablet.repositories) => Promise<unknown>): Answer =>
  async () => {
    try {
      await task(tablet.repositories);
      return undefined;
    } catch (error) {
      return error instanceof ReefError ? error.message : String(error);
    }
  };

const withBody = (op: object, body: unknown): object => ({ ...op, body });
const profileOp = () => makeOp('profile', { uid: newId(), name: { first: 'Ana', last: '' } });
const device = () => ({ id: newId(), name: 'Tablet' });

describe('1§5 a request without what a record needs is answered in the prescribed words', () => {
  it.each<[string, string, Answer]>([
    ['User ID is required', 'aboard', aboard('profile', () => ({ op: withBody(profileOp(), { name: 'Ana' }) }))],
    ['User ID is required', 'from a bridge', inBatch('box', () => withBody(profileOp(), { uid: '' }))],
    ['User ID is required', 'ashore', inBatch('cloud', () => withBody(profileOp(), { uid: null }))],
    ['User ID is required', 'to an admin', ashore('POST', '/api/admin/users//roles', () => admin, { verified: true })],
    ['User data is required', 'aboard', aboard('profile', () => ({ op: withBody(profileOp(), undefined) }))],
    ['User data is required', 'ashore', inBatch('cloud', () => withBody(profileOp(), 'Ana'))],
    ['Survey ID is required', 'aboard', aboard('survey', () => ({ op: withBody(surveyOp(), { name: 'Elford' }) }))],
    [
      'Survey ID is required',
      'before a photograph',
      aboard('image:path', () => ({
        imageId: newId(),
        path: '1.jpg',
        bytes: 7,
        sha256: sha256('x'),
        type: 'image/jpeg',
      })),
    ],
    ['Survey ID is required', 'ashore', inBatch('cloud', () => withBody(surveyOp(), { id: '' }))],
    [
      'First name is required',
      'at the sign-in aboard',
      boxHttp('/edge/sign-in', { email: 'ana@example.org', name: { first: ' ' }, device: device() }),
    ],
    [
      'First name is required',
      'for a name without one',
      boxHttp('/edge/sign-in', { email: 'ana@example.org', name: { last: 'Lee' }, device: device() }),
    ],
    [
      'First name is required',
      'on the tablet',
      onTablet(({ account }) =>
        account.people.createPending({ name: { first: '', last: '' }, email: 'ana@example.org' }),
      ),
    ],
    [
      'Email is invalid',
      'at the sign-in aboard',
      boxHttp('/edge/sign-in', { email: 'ana', name: { first: 'Ana' }, device: device() }),
    ],
    [
      'Email is invalid',
      'on the tablet',
      onTablet(({ account }) => account.people.createPending({ name: { first: 'Ana', last: '' }, email: 'ana@' })),
    ],
  ])('1§5: %s, %s', async (words, _where, answer) => {
    expect(await answer()).toBe(words);
  });

  const unlinked = () => makeOp('survey', { id: newId(), user: { org: null } });
  it.each<[string, Answer]>([
    ['aboard', aboard('survey', () => ({ op: unlinked() }))],
    ['ashore', inBatch('cloud', unlinked)],
    [
      'on a tablet without a person',
      onTablet(({ census }) =>
        census.surveys.add({
          name: 'Dive 1',
          date: '2026-11-20',
          type: 'scuba',
          location: { id: 'reef-16-071', regionId: 'gbr', name: 'Agincourt' },
        }),
      ),
    ],
  ])('1§5: a survey must be linked to a user, %s', async (_where, answer) => {
    expect(await answer()).toBe('Survey not Linked to any user. Please try again');
  });

  it('1§5: an image id that the survey has already is refused', async () => {
    const survey = surveyOp();
    expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
    const content = photograph(3000);
    const image = imageOp(survey.docId, content);
    const notice = { surveyId: survey.docId, imageId: image.docId, path: '1.jpg', type: 'image/jpeg' };
    const { uploadId } = await client.send('image:path', { ...notice, bytes: content.length, sha256: sha256(content) });
    expect(await client.send('image:binary', { uploadId, offset: 0 }, content)).toMatchObject({ ok: true });
    expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true });
    const { error } = await client.send('image:path', { ...notice, bytes: 7, sha256: sha256('other') });
    expect(error?.message).toBe('Image Id already exists for this survey. Please try again');
  });

  it.each<[string, Answer]>([
    [
      'No user found for given Email ID nobody@example.org',
      ashore('POST', '/api/admin/link', () => admin, { email: 'Nobody@example.org', handle: 'reefweek' }),
    ],
    [
      'The user with Email ID ana@example.org is already linked to reefweek.',
      ashore('POST', '/api/admin/link', () => admin, { email: 'ana@example.org', handle: 'reefweek' }),
    ],
  ])('1§5: linking by email answers: %s', async (words, answer) => {
    expect(await answer()).toBe(words);
  });
});

describe('1§8 the error catalogue is said where its case occurs', () => {
  it.each<[string, Answer]>([
    ['its roles', ashore('POST', `/api/admin/users/${stranger}/roles`, () => admin, { verified: true })],
    ['its tablets', ashore('GET', `/api/admin/users/${stranger}/devices`, () => staff)],
    ['its second factor', ashore('POST', `/api/admin/users/${stranger}/second-factor/reset`, () => staff)],
  ])('1§8: an unknown person in the administration: %s', async (_what, answer) => {
    expect(await answer()).toBe(`User with ID ${stranger} not found`);
  });

  it.each<[string, Answer]>([
    ['ashore', ashore('GET', '/api/me', () => null)],
    ['on the tablet', onTablet(({ account }) => account.settings.read())],
  ])('1§8: no one is signed in, %s', async (_where, answer) => {
    expect(await answer()).toBe('No user is currently signed in');
  });

  it('1§8: a tablet whose own key cannot be opened says that sign-in could not begin', async () => {
    const first = await openTestTablet();
    await first.context.store.db.meta.delete('deviceKey');
    await first.close();
    const again = openTestTablet({
      origin: first.origin,
      database: first.database,
      deviceKeys: { ...first.host.deviceKeys, generate: () => Promise.reject(new DOMException('', 'OperationError')) },
    });
    await expect(again).rejects.toMatchObject({
      code: 'internal',
      message: 'Authentication service could not be initialized. Please refresh the page and try again.',
    });
  });

  it('1§8: socket errors: a box that is gone, and one that takes a connection and stays silent', async () => {
    const gone = new EdgeSocket(nodeHost(), `http://127.0.0.1:${await freePort()}`);
    await expect(gone.connect()).rejects.toMatchObject({
      code: 'disconnected',
      message: 'Lost the connection to the box. Retrying automatically.',
    });
    const silent = net.createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const clock = new ManualClock();
      const socket = new EdgeSocket(
        nodeHost({ clock }),
        `http://127.0.0.1:${(silent.address() as net.AddressInfo).port}`,
      );
      const [, answer] = await Promise.all([
        once(silent, 'connection').then(() => clock.advance(20_000)),
        socket.connect().then(
          () => 'connected',
          (error: unknown) => (error as ReefError).toWire(),
        ),
      ]);
      expect(answer).toMatchObject({
        code: 'timeout',
        message: 'The box did not answer in time. Retrying automatically.',
      });
    } finally {
      silent.close();
    }
  });

  it('1§8: socket errors: a receipt of the box for other work', async () => {
    const op = surveyOp();
    const { receipt } = await client.send('survey', { op });
    expect(() => checkReceiptMatches(receipt as Receipt, op)).not.toThrow();
    expect(() => checkReceiptMatches(receipt as Receipt, surveyOp())).toThrow(
      'The receipt does not match what was sent. Your copy is safe.',
    );
  });
});
