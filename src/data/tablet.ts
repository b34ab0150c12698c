import type { TabletHost } from '../platform/host';
import type { ReportEnvironment } from '../platform/error-report';
import type { PhotographReader } from '../workers/photograph/photograph.api';
import { openReadModel } from './db/read-model';
import { withUnprojected } from './db/with-unprojected';
import { EdgeCache } from './cache/edge-cache';
import { UnprojectedDocuments } from './db/unprojected-documents';
import { OpIndex } from './ops/op-index';
import { OpsStore } from './ops/ops-store';
import { Projector } from './db/projector';
import { DocumentAccess } from './ops/document-access';
import { ErrorReports } from './error-reports';
import { createRepositories } from './repositories/create-repositories';
import type { Repositories } from './repositories/index';
import type { RepositoryContext } from './repositories/repository-context';
import { observePeople, observePerson } from './repositories/account/person';
import { CustodyIndex } from './sync/custody/custody-index';
import { FreeingWatch } from './sync/freeing/freeing-watch';
import { Intakes } from './sync/custody/intakes';
import { reportOwed } from './sync/sending/report-owed';
import { onCloudEpochChanged } from './sync/pairing/cloud-pairing';
import { onEdgeEpochChanged } from './sync/pairing/edge-pairing';
import { TabletSync } from './sync/tablet-sync';
import type { CloudEndpoint } from './transport/connectivity';
import { Connectivity } from './transport/connectivity';
import { CloudLinkKeeper } from './transport/cloud/cloud-link-keeper';
import { EdgeLinkKeeper } from './transport/edge/edge-link-keeper';
import { UpstreamLinks } from './transport/upstream-links';
import type { TabletName } from './transport/edge/verify-with-edge';

export interface TabletOptions {
  readonly host: TabletHost;
  readonly photographs: PhotographReader;
  /** Name of this tablet on the box's console, such as "Tablet of the foredeck". */
  readonly name: string;
  readonly appVersion: string;
  /** Cloud with its pinned keys, if known. */
  readonly cloudEndpoint?: CloudEndpoint;
  /** Origin of the page: the cloud, if the app was installed from there. */
  readonly servedBy?: string;
  /** Error reports to the shore (3§7); absent: off. */
  readonly reports?: {
    readonly surroundings: () => ReportEnvironment;
    /** Target address; by default `/api/log` of the cloud, if known and reachable. */
    readonly address?: string;
  };
  /** Pause between two rounds of writing the read model, ms; none by default. */
  readonly projectingRestMs?: number;
  /** Prefix of the database names; `reef` by default. */
  readonly database?: string;
}

const LOG_PATH = '/api/log';

export interface Tablet {
  readonly repositories: Repositories;
  /** Internals for tests, the voyage and the simulator; screens never see them. */
  readonly context: RepositoryContext;
  readonly close: () => Promise<void>;
}

/**
 * Opens the tablet's data: operations, read model (lazily), connectivity, sender and puller. Capture works as soon as
 * this settles, without any server.
 *
 * @throws ReefError `internal` if this browser's storage cannot be opened
 */
export async function openTablet({
  host,
  photographs,
  name,
  appVersion,
  cloudEndpoint,
  servedBy,
  reports,
  projectingRestMs = 0,
  database = 'reef',
}: TabletOptions): Promise<Tablet> {
  const store = await OpsStore.open(host, `${database}-ops`);
  const opIndex = new OpIndex(store);
  await opIndex.start();
  const self: TabletName = { name, appVersion };
  const readModel = openReadModel(host, `${database}-read`);
  const unprojected = new UnprojectedDocuments(store, opIndex);
  unprojected.start();
  const model = readModel.then((opened) => withUnprojected(opened, unprojected));
  const projector = new Projector(store, opIndex, readModel, `${database}-project`, projectingRestMs);
  const { cell: person, stop: stopPerson } = await observePerson(store);
  const { cell: storedPeople, stop: stopStoredPeople } = await observePeople(store);
  const access = new DocumentAccess(opIndex, person, storedPeople);

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
  const context: RepositoryContext = {
    store,
    opIndex,
    projector,
    model,
    connectivity,
    edgeLink,
    cloudLink,
    upstreams,
    sync,
    photographs,
    self,
    person,
    access,
  };
  const edgeCache = new EdgeCache(host, `${database}-boxes`);
  const custodyIndex = new CustodyIndex(store, opIndex);
  const intakes = new Intakes(store, `${database}-intake`);
  const inFlight = (): ReadonlySet<string> => new Set(sync.progress.facts.get().inFlight.map(({ docId }) => docId));
  const freeing = new FreeingWatch(
    { store, opIndex, inFlight },
    () => sync.sendingTab.get() === 'here' && !connectivity.facts.get().offlineByChoice,
  );
  const { repositories, close: closeRepositories } = createRepositories(context, {
    person,
    edgeCache,
    custodyIndex,
    intakes,
    freeing,
    servedBy,
    censusDatabase: `${database}-census`,
  });
  const stopFollowing = followOtherTabs(context);
  const stopReports =
    reports === undefined
      ? () => Promise.resolve()
      : startErrorReports(context, reports, cloudEndpoint, `${database}-reports`);
  const stopOwing = reportOwed(store, opIndex, edgeLink, sync);
  projector
    .start()
    .catch((error: unknown) => host.log.note('error', 'The read model could not be built.', { error: String(error) }));
  connectivity.start((await store.getMeta('offlineByChoice')) ?? false);
  sync.start();

  return {
    context,
    repositories,
    close: async () => {
      await stopReports();
      connectivity.close();
      stopFollowing();
      stopOwing();
      stopPerson();
      stopStoredPeople();
      access.close();
      closeRepositories();
      freeing.close();
      intakes.close();
      await sync.close();
      await edgeLink.close();
      await cloudLink.close();
      unprojected.close();
      await projector.close();
      opIndex.close();
      await (await model).close();
      edgeCache.close();
      store.close();
    },
  };
}

/** Cloud that this tablet knows by its address. */
function knownCloudEndpoint({ clouds }: Pick<OpIndex, 'clouds'>): CloudEndpoint | undefined {
  const cloud = clouds.find(({ origin }) => origin !== null);
  return cloud === undefined || cloud.origin === null
    ? undefined
    : { origin: cloud.origin, traceKeys: cloud.traceKeys, cloud };
}

/** Sends errors to the shore whenever a connection may have become available. Returns a function that stops it. */
function startErrorReports(
  { store: { host }, connectivity, person }: RepositoryContext,
  { surroundings, address }: NonNullable<TabletOptions['reports']>,
  cloudEndpoint: CloudEndpoint | undefined,
  database: string,
): () => Promise<void> {
  const addressNow = (): string | null => {
    const { offlineByChoice, browserOnline, answering } = connectivity.facts.get();
    if (offlineByChoice || !browserOnline) return null;
    if (address !== undefined) return address;
    return cloudEndpoint !== undefined && answering === 'www' ? `${cloudEndpoint.origin}${LOG_PATH}` : null;
  };
  const errors = new ErrorReports({ host, database, surroundings, person: person.get, address: addressNow });
  const stop = connectivity.facts.subscribe(() => {
    if (addressNow() !== null) errors.send();
  });
  return async () => {
    stop();
    await errors.close();
  };
}

/** Applies a pairing or an offline choice made in another tab. */
function followOtherTabs({ store, opIndex, connectivity, edgeLink, cloudLink }: RepositoryContext): () => void {
  const origins = (): string =>
    [
      ...opIndex.edges.map(({ nodeId, origin, pairedAt }) => `${nodeId} ${origin} ${pairedAt}`),
      ...opIndex.clouds.map(({ nodeId, origin, credential }) => `${nodeId} ${origin ?? ''} ${credential ?? ''}`),
    ].join('\n');
  let known = origins();
  const stops = [
    opIndex.onChange(() => {
      const now = origins();
      if (now === known) return;
      known = now;
      void connectivity.check();
    }),
    store.watch(
      () => store.db.meta.get('offlineByChoice'),
      (row) => {
        const offline = row?.value === true;
        if (offline === connectivity.facts.get().offlineByChoice) return;
        void connectivity.setOffline(offline);
        if (offline) {
          edgeLink.drop();
          cloudLink.drop();
        }
      },
    ),
  ];
  return () => stops.forEach((stop) => stop());
}
