import { generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { PersonId } from '../../../src/domain/ids';
import { ReefError } from '../../../src/domain/errors';
import { draftFirst, sealOp } from '../../../src/domain/op/draft';
import type { Op } from '../../../src/domain/op/op';
import { HOLD_MESSAGES } from '../../../src/domain/policy/topic-policy';
import { opIdOf } from '../../../src/domain/ids';
import { hashedText } from '../../../src/protocol/hash';
import type { Receipt, UnsignedReceipt } from '../../../src/protocol/receipt';
import { signedText } from '../../../src/protocol/receipt';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { photograph, quiet } from '../../support/tablet/tablet';
import {
  addSurvey,
  closeTablets,
  custodyAt,
  openBeside,
  runUntil,
  settled,
  shoreScene,
  signInAshore,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

describe('protocol: straight to the cloud', () => {
  test('a tablet with internet and no box sends the same ops and bytes, and shows Shore', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    const files = [photograph(1, 3_000_000), photograph(2, 90_000)];
    const added = [];
    for (const file of files) added.push(await tablet.repositories.census.images.addPhotograph(file, survey));
    expect(custodyAt(tablet, 'survey', survey)).toEqual({ status: 'tablet' });
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'all ashore');
    for (const [i, { id, sha256 }] of added.entries()) {
      expect(custodyAt(tablet, 'image', id)).toMatchObject({ status: 'shore', node: cloud.nodeId });
      expect(cloud.bytes.get(sha256)?.equals(Buffer.from(await files[i]!.arrayBuffer()))).toBe(true);
    }
    expect(
      cloud.entries
        .flatMap(({ op }) => op ?? [])
        .map(({ kind }) => kind)
        .slice(-3),
    ).toEqual(['survey', 'image', 'image']);
    expect(new Set(cloud.heard('/api/ops').map(({ bearer }) => bearer))).toEqual(cloud.credentials);
  });

  test('a survey sent directly and through the box exists once, with the same op ids', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'all aboard');
    // Sent by the bridge; the tablet does not know yet.
    for (const { op } of box.entries) if (op !== undefined) cloud.write(op);
    for (const [sha256, bytes] of box.bytes) cloud.bytes.set(sha256, bytes);
    const before = cloud.entries.length;
    box.down = true;
    box.cutAll();
    await signInAshore({ tablet, cloud });
    await runUntil(
      clock,
      () => custodyAt(tablet, 'survey', survey).status === 'shore' && settled(tablet)(),
      'all ashore',
    );
    expect(cloud.entries.slice(0, before).map(({ op }) => op?.opId)).toEqual(box.entries.map(({ op }) => op?.opId));
    expect(new Set(cloud.entries.map(({ op }) => op?.opId)).size).toBe(cloud.entries.length);
    expect(cloud.heard('/api/uploads/').length).toBe(0);
  });

  test('records go in few batches, and the box stays the upstream while it answers', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'nothing owed');
    cloud.down = true;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'out of reach');
    for (let i = 0; i < 12; i++) await addSurvey(tablet, `Dive ${i}`);
    const before = cloud.heard('/api/ops').length;
    cloud.down = false;
    await runUntil(clock, settled(tablet), 'all ashore');
    expect(
      cloud
        .heard('/api/ops')
        .slice(before)
        .flatMap(({ body }) => body['ops']).length,
    ).toBe(12);
    expect(cloud.heard('/api/ops').length - before).toBeLessThanOrEqual(3);

    await tablet.repositories.edge.link.pair(box.origin);
    await addSurvey(tablet, 'Aboard');
    const ashore = cloud.heard('/api/ops').length;
    await runUntil(clock, settled(tablet), 'all aboard');
    expect(tablet.repositories.edge.link.connectivity.get().answering).toBe('edge');
    expect(box.events()).toContain('survey');
    expect(cloud.heard('/api/ops').length).toBe(ashore);
  });

  test('other people’s ops are downloaded', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    const body = { id: 'Survey0000000001', name: 'From afar', date: '2026-11-19', user: { uid: cloud.person.uid } };
    const draft = draftFirst('survey', body, {
      by: cloud.person.uid as PersonId,
      madeAt: '2026-11-19T00:00:00.000Z',
      schema: 1,
    });
    cloud.write(
      sealOp(
        draft,
        opIdOf('Device0000000001' as never, 1),
        (await tablet.host.sha256(hashedText(draft.body))) as Op['sha256'],
      ),
    );
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await runUntil(
      clock,
      () => tablet.repositories.census.surveys.all.get().items.some(({ name }) => name === 'From afar'),
      'it was downloaded',
    );
    stop();
  });
});

describe('receipts: ops on hold in the cloud', () => {
  test('the hold reason is shown, and the releasing receipt replaces it and frees waiting ops', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    const { id } = await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    cloud.receiptOf = (unsigned) => ({ ...unsigned, accepted: false, reason: HOLD_MESSAGES.part });
    await signInAshore({ tablet, cloud });
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'held', 'on hold');
    expect(custodyAt(tablet, 'survey', survey)).toMatchObject({
      status: 'held',
      reason: { message: HOLD_MESSAGES.part },
    });
    expect(custodyAt(tablet, 'image', id).status).toBe('tablet');

    cloud.receiptOf = (unsigned) => unsigned;
    for (const [opId, { sig: _sig, reason: _reason, ...refused }] of cloud.receipts) {
      const seq = cloud.entries.length + 1;
      const receipt = cloud.signed({ ...refused, accepted: true, seq });
      cloud.receipts.set(opId, receipt);
      cloud.entries.push({ seq, op: cloud.ops.get(opId)!, receipt });
    }
    cloud.down = true;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'away');
    cloud.down = false;
    await runUntil(clock, () => custodyAt(tablet, 'image', id).status === 'shore', 'the photograph went');
    expect(custodyAt(tablet, 'survey', survey).status).toBe('shore');
    // One op per store epoch, also when the index is rebuilt.
    await tablet.context.opIndex.follow();
    expect((await tablet.context.store.db.receipts.toArray()).every(({ receipt }) => receipt.accepted)).toBe(true);
  });

  test('an op admitted by a box goes ashore with the box’s receipt', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'box', 'aboard');
    box.down = true;
    box.cutAll();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'shore', 'ashore');
    const items = cloud.heard('/api/ops').flatMap(({ body }) => body['ops'] as { op: Op; receipt?: Receipt }[]);
    expect(
      items.filter(({ op }) => op?.docId === survey).map(({ receipt }) => [receipt?.stage, receipt?.nodeId]),
    ).toEqual([['edge', box.nodeId]]);
  });
});

describe('receipts: cloud receipts under attack', () => {
  test('a receipt of another key or store leaves the item owed', async () => {
    for (const tamper of ['sig', 'epoch', 'op'] as const) {
      const { clock, cloud, tablet } = await shoreScene();
      const survey = await addSurvey(tablet);
      const honest = cloud.receiptKey;
      await tablet.repositories.account.signIn.pinCloud(cloud.origin);
      if (tamper === 'sig') cloud.receiptKey = new ScriptedBox(clock.now).receiptKey;
      if (tamper === 'epoch') cloud.receiptOf = (unsigned) => ({ ...unsigned, storeEpoch: 'Epoch00000000009' });
      if (tamper === 'op') cloud.receiptOf = (unsigned) => ({ ...unsigned, sha256: 'a'.repeat(64) as never });
      cloud.instead = ({ path }) =>
        path === '/api/devices'
          ? Response.json({
              ok: true,
              credential: 'given',
              cloud: { id: cloud.nodeId, storeEpoch: cloud.storeEpoch },
              receiptKeys: [honest.jwk],
              traceKeys: [cloud.traceKey.jwk],
              limits: { chunkBytes: 1 << 20, imageBytes: 1e9 },
            })
          : path === '/api/keys'
            ? Response.json({
                keys: [
                  { ...honest.jwk, for: 'receipt' },
                  { ...cloud.traceKey.jwk, for: 'trace' },
                ],
              })
            : undefined;
      cloud.credentials.add('given');
      await tablet.repositories.account.signIn.withCode(cloud.person.email, cloud.code);
      await runUntil(clock, () => cloud.heard('/api/ops').length > 3, `offered again (${tamper})`);
      await quiet(100);
      expect(custodyAt(tablet, 'survey', survey).status).toBe('tablet');
      expect(await tablet.context.store.db.receipts.count()).toBe(0);
    }
  });

  test('a cloud with other keys than pinned, or than a box reported, gets no sign-in', async () => {
    const { cloud, tablet } = await shoreScene();
    await tablet.repositories.account.signIn.pinCloud(cloud.origin);
    const other = new ScriptedBox(() => 0);
    cloud.receiptKey = other.receiptKey;
    await expect(tablet.repositories.account.signIn.withCode(cloud.person.email, cloud.code)).rejects.toMatchObject({
      code: 'receipt-mismatch',
    });
    expect(cloud.credentials.size).toBe(0);
    expect(tablet.repositories.account.signIn.facts.get()).toMatchObject({ canSend: false, account: null });
  });

  test('a new cloud epoch voids its receipts and reoffers all, and box receipts stay valid', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    const { id, sha256 } = await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'all aboard');
    box.down = true;
    box.cutAll();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, () => custodyAt(tablet, 'image', id).status === 'shore', 'ashore');
    cloud.beginAnew();
    cloud.down = true;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'away');
    cloud.down = false;
    await runUntil(
      clock,
      () =>
        cloud.ops.size > 0 && tablet.repositories.edge.link.connectivity.get().answering === 'www' && settled(tablet)(),
      'sent again',
    );
    expect(cloud.bytes.has(sha256)).toBe(true);
    expect(custodyAt(tablet, 'image', id)).toMatchObject({ status: 'shore' });
    expect(
      (await tablet.context.store.db.receipts.toArray()).filter(({ storeEpoch }) => storeEpoch === cloud.storeEpoch)
        .length,
    ).toBe(cloud.receipts.size);
  });

  test('a card is safe once the cloud confirms each photograph now, and not after a loss', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    const one = await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await tablet.repositories.census.images.addPhotograph(photograph(2), survey);
    await signInAshore({ tablet, cloud });
    const {
      custody: { cards },
    } = tablet.repositories;
    const say = (): string | undefined => cards.all.get().items[0]?.verdict.kind;
    const stop = cards.all.subscribe(() => undefined);
    await runUntil(clock, () => say() === 'safe', 'safe');
    await tablet.repositories.tablet.space.free();
    await runUntil(clock, () => say() === 'safe', 'safe after freeing, too');
    cloud.bytes.delete(one.sha256);
    await cards.check(survey);
    await runUntil(clock, () => say() === 'keep', 'to be stored');
    cloud.down = true;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'away');
    expect(say()).not.toBe('safe');
    stop();
  });

  test('receipted bytes that the cloud lost are sent again with the next edit', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    const survey = await addSurvey(tablet);
    const { id, sha256 } = await tablet.repositories.census.images.addPhotograph(photograph(1), survey);
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'all ashore');
    cloud.bytes.delete(sha256);
    await tablet.repositories.census.images.remove(id);
    await runUntil(clock, settled(tablet), 'the edit is ashore');
    expect(cloud.bytes.has(sha256)).toBe(true);
  });
});

describe('protocol: "The outbox belongs to the device"', () => {
  test('sign-out ends the cloud session, and unsent work is still sent', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'nothing owed');
    cloud.down = true;
    const survey = await addSurvey(tablet, 'Unsent');
    cloud.down = false;
    await tablet.repositories.account.signIn.signOut();
    expect(cloud.sessions.size).toBe(0);
    expect(tablet.repositories.account.signIn.facts.get()).toMatchObject({ canSend: true, account: null });
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'shore', 'it went');
  });

  test('a refused credential is reported, and another box receives everything', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'nothing owed');
    cloud.credentials.clear();
    const survey = await addSurvey(tablet, 'Revoked');
    await runUntil(clock, () => tablet.repositories.account.signIn.facts.get().link === 'refused', 'refused');
    expect(custodyAt(tablet, 'survey', survey).status).toBe('tablet');
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'box', 'aboard');
  });

  test('the person’s token goes to the box, and once more without it after a refusal', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'nothing owed');
    await tablet.repositories.edge.link.pair(box.origin);
    box.misbehave = (event, message) =>
      event === 'verify' && message['token'] !== undefined ? { error: 'unauthorised' } : undefined;
    const survey = await addSurvey(tablet, 'With a token');
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'box', 'aboard');
    const verifies = box.heard.filter(({ event }) => event === 'verify').map(({ message }) => message['token']);
    expect(verifies).toContain('edge-token');
    expect(verifies.at(-1)).toBeUndefined();
  });

  test('a wrong code, invalid address or unreachable cloud is reported and not stored', async () => {
    const { clock, cloud, box, tablet } = await shoreScene();
    const { account } = tablet.repositories;
    await expect(account.signIn.sendCode('ana@example.org')).rejects.toMatchObject({
      code: 'not-found',
      details: { field: 'address' },
    });
    await expect(account.signIn.pinCloud('http://shore.test')).rejects.toMatchObject({ code: 'bad-message' });
    await expect(account.signIn.pinCloud(box.origin)).rejects.toBeInstanceOf(ReefError);
    await account.signIn.pinCloud(cloud.origin);
    await expect(account.signIn.sendCode('no address')).rejects.toMatchObject({
      code: 'bad-message',
      details: { field: 'email' },
    });
    await expect(account.signIn.withCode('ana@example.org', '111111')).rejects.toMatchObject({ code: 'bad-message' });
    cloud.down = true;
    const away = expect(account.signIn.sendCode('ana@example.org')).rejects.toMatchObject({ code: 'disconnected' });
    // 1§9: after three retries.
    await clock.advance(7000);
    await away;
    expect(account.signIn.facts.get()).toMatchObject({ origin: cloud.origin, canSend: false, account: null });
    expect(await tablet.context.store.db.accounts.count()).toBe(0);
  });

  test('an app installed from the cloud finds it; a box’s word is a suggestion until the person confirms it', async () => {
    const { clock, cloud, box } = await shoreScene();
    const fetch = (url: string, init?: RequestInit): Promise<Response> =>
      url.startsWith(cloud.origin) ? cloud.fetch(url, init) : box.fetch(url, init);
    const installed = await openBeside(clock, box, { fetch, servedBy: cloud.origin });
    await installed.repositories.account.signIn.discover();
    expect(installed.repositories.account.signIn.facts.get()).toMatchObject({
      origin: cloud.origin,
      isShorePage: true,
      suggestion: null,
    });

    const aboard = await openBeside(clock, box, { fetch, servedBy: box.origin });
    const { signIn } = aboard.repositories.account;
    await signIn.discover();
    expect(signIn.facts.get()).toMatchObject({ origin: null, suggestion: null });
    box.cloudUrl = cloud.origin;
    await aboard.repositories.edge.link.pair(box.origin);
    await signIn.discover();
    expect(signIn.facts.get()).toMatchObject({
      origin: null,
      isShorePage: false,
      suggestion: { origin: cloud.origin, edge: 'Scripted' },
    });
    await expect(signIn.sendCode('ana@example.org')).rejects.toMatchObject({ details: { field: 'address' } });
    await signIn.pinCloud(cloud.origin);
    expect(signIn.facts.get()).toMatchObject({ origin: cloud.origin, isShorePage: false, suggestion: null });
  });

  test('a hostile box’s word neither replaces the shore that served the app nor keeps the tablet from it', async () => {
    const { clock, cloud, box } = await shoreScene();
    const fetch = (url: string, init?: RequestInit): Promise<Response> =>
      url.startsWith(cloud.origin) ? cloud.fetch(url, init) : box.fetch(url, init);
    box.cloudUrl = 'https://evil.test';
    box.cloudKeys = [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43), kid: 'evil' }];
    const { repositories } = await openBeside(clock, box, { fetch, servedBy: cloud.origin });
    await repositories.edge.link.pair(box.origin);
    await repositories.account.signIn.discover();
    expect(repositories.account.signIn.facts.get()).toMatchObject({ origin: cloud.origin, suggestion: null });
  });

  test('a box with cloud keys of its own cannot make work look ashore to a tablet that knows the shore', async () => {
    const { clock, box, cloud, tablet } = await shoreScene();
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'nothing owed');
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    box.cloudKeys = [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'evil' }];
    await tablet.repositories.edge.link.pair(box.origin);
    const survey = await addSurvey(tablet, 'Forged');
    await runUntil(clock, () => custodyAt(tablet, 'survey', survey).status === 'box', 'aboard');
    const op = [...box.ops.values()].find(({ docId }) => docId === survey);
    if (op === undefined) throw new Error('the box has no such survey');
    const unsigned = {
      v: 1,
      stage: 'cloud',
      nodeId: cloud.nodeId,
      storeEpoch: cloud.storeEpoch,
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      accepted: true,
      seq: 7,
      storedAt: '2026-11-22T00:00:00.000Z',
      kid: 'evil',
    } as const;
    const sig = sign(null, Buffer.from(signedText(unsigned as UnsignedReceipt)), privateKey).toString('base64url');
    box.entries.push({ seq: 1000, receipt: { ...unsigned, sig } as Receipt });
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    let since = 0;
    const readCursor = (): void =>
      void tablet.context.store.db.cursors.get(box.nodeId).then((row) => {
        since = row?.since ?? 0;
      });
    await runUntil(
      clock,
      () => {
        readCursor();
        return since === 1000;
      },
      'the forged receipt was read',
    );
    expect(custodyAt(tablet, 'survey', survey).status).toBe('box');
    stop();
  });
});
