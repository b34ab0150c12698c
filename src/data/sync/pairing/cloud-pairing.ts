import { ReefError } from '../../../domain/errors';
import type { DeviceRegistration } from '../../../protocol/cloud-http';
import type { PublicKey } from '../../../protocol/receipt';
import type { AccountRow, CloudRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import type { CloudUser } from '../../transport/cloud/cloud-http';
import { certifyKey } from '../../transport/cloud/certify-key';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { parseUrl } from '../../transport/http';
import { fetchVerifiedTrace } from '../../transport/verify-node-trace';
import type { TabletName } from '../../transport/edge/verify-with-edge';
import { ownDevice, mergeKeys } from '../../transport/edge/verify-with-edge';

/** Cloud that answered and proved that it holds the keys it published. */
interface FoundCloud {
  readonly origin: string;
  readonly nodeId: string;
  readonly storeEpoch: string;
  readonly receiptKeys: readonly PublicKey[];
  readonly traceKeys: readonly PublicKey[];
}

/**
 * Normalises an address: only https proves the identity of a server, except on this machine itself.
 *
 * @throws ReefError `bad-message` {field: 'address'}
 */
export function parseCloudOrigin(address: string): string {
  const text = address.trim();
  const url = parseUrl(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
  const isLoopback = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url === null || url.hostname === '' || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback))) {
    throw new ReefError('bad-message', {
      field: 'address',
      message: 'This is not a valid shore address. It must begin with https://',
    });
  }
  return url.origin;
}

/**
 * Finds the cloud at an address (protocol: "The cloud's key comes over TLS").
 *
 * @throws ReefError `bad-message` if it is not a cloud, `receipt-mismatch` if its keys contradict those pinned before;
 * `disconnected`, `timeout`
 */
export async function findCloud(store: OpsStore, origin: string): Promise<FoundCloud> {
  const { host } = store;
  const http = new CloudHttp(host, origin);
  const published = await http.keys();
  const trace = await fetchVerifiedTrace(host, published.trace, (nonce) => http.trace(nonce));
  if (trace === undefined)
    throw new ReefError('receipt-mismatch', {
      field: 'trace',
      message: 'The server at this address cannot prove that it owns its keys.',
    });
  if (trace.network !== 'www')
    throw new ReefError('bad-message', {
      field: 'address',
      message: 'The server at this address is a box, not the shore.',
    });
  const known = await store.run(() => store.db.clouds.get(trace.node));
  // The cloud proves its keys over TLS; a box's word about them neither adds nor takes anything here.
  const pinned = known?.receiptKeys ?? [];
  if (
    pinned.length > 0 &&
    !pinned.some((key) => published.receipt.some(({ kid, x }) => kid === key.kid && x === key.x))
  )
    throw new ReefError('receipt-mismatch', {
      field: 'publicKey',
      message: 'The shore’s keys differ from the ones this tablet knows. Nothing is sent to it.',
    });
  return {
    origin,
    nodeId: trace.node,
    storeEpoch: trace.storeEpoch,
    receiptKeys: published.receipt,
    traceKeys: published.trace,
  };
}

/** Stores a cloud and its keys. Known keys and this tablet's credential are retained. */
export async function storeCloud(
  store: OpsStore,
  found: FoundCloud,
  registration?: Pick<DeviceRegistration, 'credential' | 'limits'>,
): Promise<CloudRow> {
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', [db.clouds, db.edges, db.cursors], async () => {
      const known = await db.clouds.get(found.nodeId);
      const row: CloudRow = {
        nodeId: found.nodeId,
        storeEpoch: found.storeEpoch,
        pastEpochs: pastEpochs(known, found.storeEpoch),
        origin: found.origin,
        receiptKeys: mergeKeys(known?.receiptKeys ?? [], found.receiptKeys),
        traceKeys: mergeKeys(known?.traceKeys ?? [], found.traceKeys),
        credential: registration?.credential ?? known?.credential ?? null,
        chunkBytes: registration?.limits.chunkBytes ?? known?.chunkBytes ?? 1024 * 1024,
        pinnedAt: known?.origin === found.origin ? known.pinnedAt : store.isoNow(),
        ...(registration === undefined && known?.isRevoked === true ? { isRevoked: true } : {}),
      };
      // One cloud at a time: another one with an address loses it; its keys and receipts stay.
      for (const other of await db.clouds.toArray())
        if (other.nodeId !== row.nodeId && other.origin !== null)
          await db.clouds.update(other.nodeId, { origin: null, credential: null });
      await db.clouds.put(row);
      // Cloud receipts from boxes that came before their key was known are read again.
      for (const { nodeId, cloudKeys } of await db.edges.toArray())
        if (row.receiptKeys.some(({ kid }) => !(known?.receiptKeys ?? cloudKeys).some((key) => key.kid === kid)))
          await db.cursors.delete(nodeId);
      return row;
    }),
  );
}

/** Stores a new cloud epoch that a signed trace reported: receipts of the old epoch are void. */
export async function onCloudEpochChanged(
  store: OpsStore,
  { nodeId }: CloudRow,
  storeEpoch: string,
): Promise<CloudRow> {
  store.host.log.note('warn', 'The shore has a new store; offering what the old one receipted again.');
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', db.clouds, async () => {
      const now = await db.clouds.get(nodeId);
      if (now === undefined) throw new ReefError('disconnected', { message: 'This shore was forgotten.' });
      const row: CloudRow = { ...now, storeEpoch, pastEpochs: pastEpochs(now, storeEpoch) };
      await db.clouds.put(row);
      return row;
    }),
  );
}

/**
 * Signs a person in and registers this tablet. The session belongs to the person, the credential to the tablet: sending
 * depends only on the credential.
 *
 * @param email empty for an anonymous account
 * @param prove proves the identity and returns a custom token. It runs with the current anonymous session, if any: that
 * user's data stays theirs
 * @param handle of the event or organisation that invited the person
 * @throws ReefError from the cloud; `receipt-mismatch` as `findCloud`
 */
export async function signInToCloud(
  store: OpsStore,
  self: TabletName,
  origin: string,
  email: string,
  prove: (http: CloudHttp) => Promise<string>,
  handle?: string,
): Promise<CloudUser> {
  const { host, db } = store;
  const found = await findCloud(store, origin);
  const anonymousAccount = (await store.run(() => db.accounts.toArray())).find(
    ({ nodeId, email }) => nodeId === found.nodeId && email === '',
  );
  const token = await prove(new CloudHttp(host, origin, anonymousAccount?.session ?? ''));
  const { session, user } = await new CloudHttp(host, origin).openSession(token, email, handle);
  // Before the registration, which names the session's key.
  const certifiedKey = await certifyKey(store, found, session);
  const http = new CloudHttp(host, origin, session);
  const known = await store.run(() => db.clouds.get(found.nodeId));
  const registration = await http.register(await ownDevice(store, self), known?.credential ?? null);
  if (registration.cloud.id !== found.nodeId)
    throw new ReefError('receipt-mismatch', {
      field: 'node',
      message: 'Two different servers answer at this address.',
    });
  const edgeToken = await http.edgeToken().catch((error: unknown) => {
    host.log.note('info', 'The shore returned no token for the boxes; they still recognise this tablet.', {
      error: String(error),
    });
    return null;
  });
  const cloud = await storeCloud(store, { ...found, storeEpoch: registration.cloud.storeEpoch }, registration);
  const account: AccountRow = {
    nodeId: cloud.nodeId,
    session,
    uid: user.uid,
    email: user.email,
    edgeToken,
    signedInAt: store.isoNow(),
    ...(certifiedKey === undefined ? {} : { certifiedKey }),
  };
  await store.run(() =>
    db.transaction('rw', db.accounts, async () => {
      await db.accounts.clear();
      await db.accounts.put(account);
    }),
  );
  return user;
}

/** Ends the person's session. The tablet's own credential remains: queued work is still sent. */
export async function signOutOfCloud(store: OpsStore): Promise<void> {
  const { db, host } = store;
  const accounts = await store.run(() => db.accounts.toArray());
  await store.run(() => db.accounts.clear());
  for (const { nodeId, session } of accounts) {
    const cloud = await store.run(() => db.clouds.get(nodeId));
    if (cloud === undefined || cloud.origin === null) continue;
    await new CloudHttp(host, cloud.origin, session)
      .signOut()
      .catch((error: unknown) =>
        host.log.note('info', 'The shore could not be notified of the sign-out; the session is deleted here.', {
          error: String(error),
        }),
      );
  }
}

function pastEpochs(known: CloudRow | undefined, storeEpoch: string): readonly string[] {
  if (known === undefined) return [];
  return [...new Set([...known.pastEpochs, known.storeEpoch])].filter((epoch) => epoch !== storeEpoch);
}
