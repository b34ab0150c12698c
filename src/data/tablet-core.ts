import { ReefError } from '../domain/errors';
import { FOUNDATION_MESSAGES } from '../domain/messages';
import type { TabletHost } from '../platform/host';
import { OpIndex } from './ops/op-index';
import { openDeviceKey } from './ops/device-key';
import { OpsStore } from './ops/ops-store';
import { onCloudEpochChanged } from './sync/pairing/cloud-pairing';
import { onEdgeEpochChanged } from './sync/pairing/edge-pairing';
import { TabletSync } from './sync/tablet-sync';
import type { CloudEndpoint } from './transport/connectivity';
import { Connectivity } from './transport/connectivity';
import { CloudLinkKeeper } from './transport/cloud/cloud-link-keeper';
import { EdgeLinkKeeper } from './transport/edge/edge-link-keeper';
import type { TabletName } from './transport/edge/verify-with-edge';
import { UpstreamLinks } from './transport/upstream-links';

/** Parts of a tablet that store, index, send and receive operations; what screens read is built on them. */
export interface TabletCore {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  readonly connectivity: Connectivity;
  readonly edgeLink: EdgeLinkKeeper;
  readonly cloudLink: CloudLinkKeeper;
  readonly upstreams: UpstreamLinks;
  readonly sync: TabletSync;
  readonly self: TabletName;
}

interface TabletCoreOptions {
  readonly host: TabletHost;
  readonly self: TabletName;
  /** Prefix of the database names. */
  readonly database: string;
  /** Cloud with its pinned keys, if known. */
  readonly cloudEndpoint?: CloudEndpoint | undefined;
}

/**
 * Opens the core; connectivity and sync are still to be started.
 *
 * @throws ReefError `internal` if this browser's storage or the tablet's key cannot be opened
 */
export async function openTabletCore({ host, self, database, cloudEndpoint }: TabletCoreOptions): Promise<TabletCore> {
  const store = await OpsStore.open(host, `${database}-ops`);
  await openAuthentication(store);
  const opIndex = new OpIndex(store);
  await opIndex.start();
  const connectivity = new Connectivity(
    host,
    () => opIndex.edges,
    () => edgeLink.current !== undefined,
    async (edge, storeEpoch) => {
      await onEdgeEpochChanged(store, edge, storeEpoch);
      await opIndex.follow();
      // A connection verified with the old epoch ends.
      edgeLink.drop();
    },
    () => knownCloudEndpoint(opIndex) ?? cloudEndpoint,
    async (cloud, storeEpoch) => {
      const row = await onCloudEpochChanged(store, cloud, storeEpoch);
      await opIndex.follow();
      return row;
    },
  );
  const edgeLink: EdgeLinkKeeper = new EdgeLinkKeeper(store, connectivity, self);
  const cloudLink = new CloudLinkKeeper(store, connectivity);
  const upstreams = new UpstreamLinks([edgeLink, cloudLink]);
  const sync = new TabletSync(store, opIndex, upstreams, () => connectivity.targetStore(), `${database}-sender`);
  // When another store answers, other operations are owed.
  connectivity.answeringEdge.subscribe(() => sync.sender.wake());
  connectivity.answeringCloud.subscribe(() => sync.sender.wake());
  return { store, opIndex, connectivity, edgeLink, cloudLink, upstreams, sync, self };
}

/**
 * Opens the key that proves which tablet this is. A browser that lost its own keys cannot read it back.
 *
 * @throws ReefError `internal` with the sentence of 1§8
 */
async function openAuthentication(store: OpsStore): Promise<void> {
  try {
    await openDeviceKey(store);
  } catch (error) {
    if (error instanceof ReefError) throw error;
    throw new ReefError('internal', { message: FOUNDATION_MESSAGES.authNotInitialised, cause: error });
  }
}

/** Cloud that this tablet knows by its address. */
function knownCloudEndpoint({ clouds }: Pick<OpIndex, 'clouds'>): CloudEndpoint | undefined {
  const cloud = clouds.find(({ origin }) => origin !== null);
  return cloud === undefined || cloud.origin === null
    ? undefined
    : { origin: cloud.origin, traceKeys: cloud.traceKeys, cloud };
}
