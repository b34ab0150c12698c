import { ReefError } from '../../../domain/errors';
import type { EdgeUser } from '../../../protocol/edge-socket';
import type { EdgeRow } from '../../ops/database';
import type { OpsStore } from '../../ops/ops-store';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { EdgeSocket } from '../../transport/edge/edge-socket';
import { verifyNodeTrace } from '../../transport/verify-node-trace';
import type { TabletName } from '../../transport/edge/verify-with-edge';
import { cloudOriginOf, ownDevice, mergeKeys, verifyWithEdge } from '../../transport/edge/verify-with-edge';

/**
 * Pairs this tablet with a box: proves that it is one, pins its keys, and gets the session that lets the tablet relay
 * whatever it holds (protocol, "Receipts and keys": "The box's key is pinned at pairing").
 *
 * @param origin such as `https://reef.local`
 * @throws ReefError `pairing-required`, `pairing-wrong`, `unsupported-version`; `bad-message` where what answers is no box,
 *   `receipt-mismatch` where its keys do not fit together; `disconnected`, `timeout`
 */
export async function pairEdge(store: OpsStore, self: TabletName, origin: string, code?: string): Promise<EdgeRow> {
  const { host, db } = store;
  const http = new EdgeHttp(host, origin);
  const published = await http.keys();
  const nonce = [...host.randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const trace = await verifyNodeTrace(host, await http.trace(nonce), nonce, published.trace);
  if (trace === undefined)
    throw new ReefError('receipt-mismatch', {
      field: 'trace',
      message: 'What answers there does not hold the keys that it shows.',
    });

  const socket = new EdgeSocket(host, origin);
  try {
    await socket.connect();
    const reply = await verifyWithEdge(
      socket,
      store,
      self,
      code === undefined ? {} : { code: code.trim().toUpperCase() },
    );
    if (reply.edge.id !== trace.node)
      throw new ReefError('receipt-mismatch', {
        field: 'node',
        message: 'Two different boxes answer under that address.',
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
        // A box that answers under another's address has taken its place.
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

/** Forgets a box: its keys, its session, how far its feed was read. Receipts stay. */
export async function forgetEdge(store: OpsStore, nodeId: string): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.edges, db.cursors], async () => {
      await db.edges.delete(nodeId);
      await db.cursors.delete(nodeId);
    }),
  );
}

/** Signs a person in at the box; the session that the tablet holds becomes theirs. @throws ReefError as the box answers */
export async function signInToEdge(
  store: OpsStore,
  self: TabletName,
  edge: EdgeRow,
  person: { name: { first: string; last: string }; email: string },
): Promise<EdgeUser> {
  const device = await ownDevice(store, self);
  const { session, user } = await new EdgeHttp(store.host, edge.origin).signIn({ ...person, device });
  await store.run(() => store.db.edges.update(edge.nodeId, { session }));
  return user;
}

/** A signed trace said that the box began a new store: the receipts of the old one count no more. */
export async function onEdgeEpochChanged(store: OpsStore, edge: EdgeRow, storeEpoch: string): Promise<void> {
  store.host.log.note('warn', 'The box began a new store: what the old one receipted is offered again.', {
    edge: edge.name,
  });
  await store.run(() => store.db.edges.update(edge.nodeId, { storeEpoch }));
}
