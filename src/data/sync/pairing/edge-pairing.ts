import { ReefError } from '../../../domain/errors';
import type { EdgeUser } from '../../../protocol/edge-socket';
import type { EdgeRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { EdgeSocket } from '../../transport/edge/edge-socket';
import { fetchVerifiedTrace } from '../../transport/verify-node-trace';
import type { TabletName } from '../../transport/edge/verify-with-edge';
import { cloudOriginOf, ownDevice, mergeKeys, verifyWithEdge } from '../../transport/edge/verify-with-edge';

/**
 * Pairs this tablet with a box: verifies and pins its keys, and obtains the session with which the tablet relays
 * everything (protocol, "Receipts and keys": "The box's key is pinned at pairing").
 *
 * @param origin such as `https://reef.local`
 * @throws ReefError `pairing-required`, `pairing-wrong`, `unsupported-version`; `bad-message` if the server is not a
 * box, `receipt-mismatch` if its keys do not match; `disconnected`, `timeout`
 */
export async function pairEdge(store: OpsStore, self: TabletName, origin: string, code?: string): Promise<EdgeRow> {
  const { host, db } = store;
  const http = new EdgeHttp(host, origin);
  const published = await http.keys();
  const trace = await fetchVerifiedTrace(host, published.trace, (nonce) => http.trace(nonce));
  if (trace === undefined)
    throw new ReefError('receipt-mismatch', {
      field: 'trace',
      message: 'The server at this address cannot prove that it owns its keys.',
    });

  const socket = new EdgeSocket(host, origin);
  try {
    await socket.connect();
    const reply = await verifyWithEdge(
      socket,
      store,
      self,
      trace.node,
      code === undefined ? {} : { code: code.trim().toUpperCase() },
    );
    if (reply.edge.id !== trace.node)
      throw new ReefError('receipt-mismatch', {
        field: 'node',
        message: 'Two different boxes answer at this address.',
      });
    const cloudOrigin = cloudOriginOf(reply);
    const row: EdgeRow = {
      nodeId: reply.edge.id,
      name: reply.edge.name,
      origin,
      storeEpoch: reply.edge.storeEpoch,
      session: reply.session,
      receiptKeys: mergeKeys([reply.publicKey], published.receipt),
      traceKeys: published.trace,
      cloudKeys: reply.cloudKeys ?? [],
      ...(cloudOrigin === undefined ? {} : { cloudOrigin }),
      pairedAt: store.isoNow(),
    };
    await store.run(() =>
      db.transaction('rw', [db.edges, db.cursors], async () => {
        // A new box at another's address has replaced it.
        for (const other of await db.edges.toArray())
          if (other.origin === origin && other.nodeId !== row.nodeId) await db.edges.delete(other.nodeId);
        await db.edges.put(row);
      }),
    );
    return row;
  } finally {
    socket.close();
  }
}

/** Removes a box: its keys, session and feed cursor. Receipts stay. */
export async function forgetEdge(store: OpsStore, nodeId: string): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.edges, db.cursors], async () => {
      await db.edges.delete(nodeId);
      await db.cursors.delete(nodeId);
    }),
  );
}

/** Signs a person in at the box; the tablet's session becomes theirs. @throws ReefError from the box */
export async function signInToEdge(
  store: OpsStore,
  self: TabletName,
  edge: EdgeRow,
  person: { name: { first: string; last: string }; email: string },
): Promise<EdgeUser> {
  const device = await ownDevice(store, self);
  const { session, user } = await new EdgeHttp(store.host, edge.origin).signIn({
    ...person,
    device,
    session: edge.session,
  });
  await store.run(() => store.db.edges.update(edge.nodeId, { session }));
  return user;
}

/** Stores a new box epoch that a signed trace reported: receipts of the old epoch are void. */
export async function onEdgeEpochChanged(store: OpsStore, edge: EdgeRow, storeEpoch: string): Promise<void> {
  store.host.log.note('warn', 'The box has a new store; offering what the old one receipted again.', {
    edge: edge.name,
  });
  await store.run(() => store.db.edges.update(edge.nodeId, { storeEpoch }));
}
