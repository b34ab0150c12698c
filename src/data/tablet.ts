import type { TabletHost } from '../platform/host';
import type { ReportEnvironment } from '../platform/error-report';
import type { PictureSegmenter } from '../workers/segmentation/segmentation.api';
import type { PhotographReader } from '../workers/photograph/photograph.api';
import { openReadModel } from './db/read-model';
import { withUnprojected } from './db/with-unprojected';
import { EdgeCache } from './cache/edge-cache';
import { UnprojectedDocuments } from './db/unprojected-documents';
import { Projector } from './db/projector';
import { DocumentAccess } from './ops/document-access';
import { ErrorReports } from './error-reports';
import { ReportQueue, type ReportTarget } from './report-queue';
import type { UsageEvent } from '../protocol/cloud-http';
import { createRepositories } from './repositories/create-repositories';
import type { Repositories } from './repositories/index';
import { knownCloudOrigin, type RepositoryContext } from './repositories/repository-context';
import { observePeople, observePerson } from './repositories/account/person';
import { CustodyIndex } from './sync/custody/custody-index';
import { openTabletCore } from './tablet-core';
import { FreeingWatch } from './sync/freeing/freeing-watch';
import { Intakes } from './sync/custody/intakes';
import { reportOwed } from './sync/sending/report-owed';
import type { CloudEndpoint } from './transport/connectivity';

interface TabletOptions {
  readonly host: TabletHost;
  readonly photographs: PhotographReader;
  /** Segmentation of photographs that no server has outlines of; absent: none. */
  readonly segmenter?: PictureSegmenter;
  /** Name of this tablet on the box's console, such as "Tablet of the foredeck". */
  readonly name: string;
  readonly appVersion: string;
  /** Cloud with its pinned keys, if known. */
  readonly cloudEndpoint?: CloudEndpoint;
  /** Origin of the page: the cloud, if the app was installed from there. */
  readonly servedBy?: string;
  /** Error reports to the shore (3§7); absent: off. */
  readonly reports?: { readonly surroundings: () => ReportEnvironment };
  /** Pause between two rounds of writing the read model, ms; none by default. */
  readonly projectingRestMs?: number;
  /** Prefix of the database names; `reef` by default. */
  readonly database?: string;
}

const LOG_PATHS: ReportPaths = { box: '/edge/log', cloud: '/api/log' };
const USAGE_PATHS: ReportPaths = { box: '/edge/analytics', cloud: '/api/analytics' };
/** Events that wait: some days of labelling without a link. */
const USAGE_MAX = 5000;
/** Events of one request: half of what a server takes at once. */
const USAGE_BATCH = 50;

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
  segmenter,
  name,
  appVersion,
  cloudEndpoint,
  servedBy,
  reports,
  projectingRestMs = 0,
  database = 'reef',
}: TabletOptions): Promise<Tablet> {
  const core = await openTabletCore({ host, self: { name, appVersion }, database, cloudEndpoint });
  const { store, opIndex, connectivity, edgeLink, cloudLink, sync } = core;
  const readModel = openReadModel(host, `${database}-read`);
  const unprojected = new UnprojectedDocuments(store, opIndex);
  unprojected.start();
  const model = readModel.then((opened) => withUnprojected(opened, unprojected));
  const projector = new Projector(store, opIndex, readModel, `${database}-project`, projectingRestMs);
  const { cell: person, stop: stopPerson } = await observePerson(store);
  const { cell: storedPeople, stop: stopStoredPeople } = await observePeople(store);
  const access = new DocumentAccess(opIndex, person, storedPeople);
  const hostname = servedBy === undefined || !URL.canParse(servedBy) ? null : new URL(servedBy).hostname;
  const context: RepositoryContext = {
    ...core,
    projector,
    model,
    photographs,
    segmenter: segmenter ?? null,
    person,
    access,
    hostname,
  };
  const edgeCache = new EdgeCache(host, `${database}-boxes`);
  const custodyIndex = new CustodyIndex(store, opIndex);
  const intakes = new Intakes(store, `${database}-intake`);
  const inFlight = (): ReadonlySet<string> => new Set(sync.progress.facts.get().inFlight.map(({ docId }) => docId));
  const freeing = new FreeingWatch(
    { store, opIndex, inFlight },
    () => sync.sendingTab.get() === 'here' && !connectivity.facts.get().offlineByChoice,
  );
  const usageEvents = new ReportQueue<UsageEvent>({
    host,
    database: `${database}-usage`,
    target: reportTarget(context, USAGE_PATHS),
    max: USAGE_MAX,
    batch: USAGE_BATCH,
    bodyOf: (events) => ({ events }),
    failure: 'An event of use could not be reported.',
  });
  const stopSending = sendWhenReachable(context, USAGE_PATHS, usageEvents);
  const { repositories, close: closeRepositories } = createRepositories(context, {
    person,
    edgeCache,
    custodyIndex,
    intakes,
    freeing,
    servedBy,
    censusDatabase: `${database}-census`,
    reportDatabase: `${database}-report`,
    usageEvents,
  });
  const stopFollowing = followOtherTabs(context);
  const stopReports =
    reports === undefined
      ? () => Promise.resolve()
      : startErrorReports(context, reports.surroundings, `${database}-reports`);
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
      await stopSending();
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

/** Sends errors to the box or the cloud that answers. Returns a function that stops it. */
function startErrorReports(
  context: RepositoryContext,
  surroundings: () => ReportEnvironment,
  database: string,
): () => Promise<void> {
  const { store, person, self } = context;
  const errors = new ErrorReports({
    host: store.host,
    database,
    surroundings,
    appVersion: self.appVersion,
    person: person.get,
    target: reportTarget(context, LOG_PATHS),
  });
  return sendWhenReachable(context, LOG_PATHS, errors);
}

interface ReportPaths {
  readonly box: string;
  readonly cloud: string;
}

/** Address for reports: that of the box or the cloud that answers now. */
function reportTarget(context: RepositoryContext, { box, cloud }: ReportPaths): () => ReportTarget | null {
  const { connectivity } = context;
  return () => {
    const edge = connectivity.answeringEdge.get()?.edge;
    if (edge !== undefined) return { address: `${edge.origin}${box}`, session: edge.session };
    const origin = connectivity.facts.get().answering === 'www' ? knownCloudOrigin(context) : null;
    return origin === null ? null : { address: `${origin}${cloud}` };
  };
}

/** Sends reports whenever a server may have begun to answer. Returns a function that closes them. */
function sendWhenReachable(
  context: RepositoryContext,
  paths: ReportPaths,
  reports: { readonly send: () => void; readonly close: () => Promise<void> },
): () => Promise<void> {
  const target = reportTarget(context, paths);
  const stop = context.connectivity.facts.subscribe(() => {
    if (target() !== null) reports.send();
  });
  return async () => {
    stop();
    await reports.close();
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
