import type { TabletHost } from '../platform/host';
import type { ReportEnvironment } from '../platform/error-report';
import type { PhotographReader } from '../workers/photograph.api';
import { openReadModel } from './db/read-model';
import { withFresh } from './db/with-fresh';
import { BoxMemory } from './memory/box-memory';
import { FreshDocuments } from './ops/fresh-documents';
import { Ledger } from './ops/ledger';
import { OpsStore } from './ops/ops-store';
import { Projector } from './ops/projector';
import { Sight } from './ops/sight';
import { ErrorReports } from './reports/error-reports';
import type { Repositories } from './repositories/index';
import { createAccountRepository } from './repositories/account-repository';
import { createAdminRepository } from './repositories/admin-repository';
import { createAnalysisRepository } from './repositories/analysis-repository';
import { createCardRepository } from './repositories/card-repository';
import { createConflictRepository } from './repositories/conflict-repository';
import { createCustodyRepository } from './repositories/custody-repository';
import { createEdgeRepository } from './repositories/edge-repository';
import { createImageRepository } from './repositories/image-repository';
import { createPackRepository } from './repositories/pack-repository';
import type { RepositoryContext } from './repositories/parts';
import { createLogRepository } from './repositories/log-repository';
import { createPersonRepository, observePeople, observePerson } from './repositories/person-repository';
import { createProfileRepository } from './repositories/profile-repository';
import { createReefRepository } from './repositories/reef-repository';
import { createRescueRepository } from './repositories/rescue-repository';
import { createSendingRepository } from './repositories/sending-repository';
import { createSpaceRepository } from './repositories/space-repository';
import { createStorageRepository } from './repositories/storage-repository';
import { createSurveyRepository } from './repositories/survey-repository';
import { CustodyIndex } from './sync/custody-index';
import { FreeingWatch } from './sync/freeing-watch';
import { Intakes } from './sync/intakes';
import { tellOwing } from './sync/owing';
import { noteNewCloud } from './sync/ashore';
import { noteNewStore } from './sync/pairing';
import { TabletSync } from './sync/tablet-sync';
import type { Www } from './transport/connectivity';
import { Connectivity } from './transport/connectivity';
import { CloudLinkKeeper } from './transport/cloud-link';
import { EdgeLinkKeeper } from './transport/edge-link';
import { UpstreamLinks } from './transport/upstream-links';
import type { TabletName } from './transport/verify';

export interface TabletOptions {
  readonly host: TabletHost;
  readonly photographs: PhotographReader;
  /** How the box's console shows this tablet, such as "Tablet of the foredeck". */
  readonly name: string;
  readonly appVersion: string;
  /** The cloud with its pinned keys, where the tablet knows it. */
  readonly www?: Www;
  /** The page's own origin: the cloud, where the app was installed from there. */
  readonly servedBy?: string;
  /** Errors are reported to the shore (3§7) where this is given. */
  readonly reports?: {
    readonly surroundings: () => ReportEnvironment;
    /** Where to; without it `/api/log` of the cloud, where the tablet knows one and it answers. */
    readonly address?: string;
  };
  /** How long the read model rests between two rounds of writing, ms; not at all by default. */
  readonly projectingRestMs?: number;
  /** Begins the names of the databases; `reef` by default. */
  readonly database?: string;
}

/** The error log of the cloud. */
const LOG_PATH = '/api/log';

/** A running tablet. */
export interface Tablet {
  readonly repositories: Repositories;
  /** The parts underneath, for tests, the voyage and the simulator; screens never see them. */
  readonly parts: RepositoryContext;
  readonly close: () => Promise<void>;
}

/**
 * Opens the tablet's data: the operations, the read model (loaded lazily, after the store is there), connectivity, sender
 * and puller. Capture works as soon as this settles, with no server at all.
 *
 * @throws ReefError `internal` where this browser's storage cannot be opened
 */
export async function openTablet({
  host,
  photographs,
  name,
  appVersion,
  www,
  servedBy,
  reports,
  projectingRestMs = 0,
  database = 'reef',
}: TabletOptions): Promise<Tablet> {
  const store = await OpsStore.open(host, `${database}-ops`);
  const ledger = new Ledger(store);
  await ledger.start();
  const self: TabletName = { name, appVersion };
  const stored = openReadModel(host, `${database}-read`);
  const fresh = new FreshDocuments(store, ledger);
  fresh.start();
  const model = stored.then((opened) => withFresh(opened, fresh));
  const projector = new Projector(store, ledger, stored, `${database}-project`, projectingRestMs);
  const { cell: person, stop: stopPerson } = await observePerson(store);
  const { cell: known, stop: stopKnown } = await observePeople(store);
  const sight = new Sight(ledger, person, known);

  const connectivity = new Connectivity(
    host,
    () => ledger.edges,
    () => link.current !== undefined,
    async (edge, storeEpoch) => {
      await noteNewStore(store, edge, storeEpoch);
      await ledger.follow();
      // A connection that was verified with the old store ends.
      link.drop();
    },
    () => knownWww(ledger) ?? www,
    async (cloud, storeEpoch) => {
      const row = await noteNewCloud(store, cloud, storeEpoch);
      await ledger.follow();
      return row;
    },
  );
  const link: EdgeLinkKeeper = new EdgeLinkKeeper(store, connectivity, self);
  const shore = new CloudLinkKeeper(store, connectivity);
  const upstreams = new UpstreamLinks([link, shore]);
  const sync = new TabletSync(store, ledger, upstreams, () => connectivity.counts(), `${database}-sender`);
  // What is owed is owed to another store when another one answers.
  connectivity.upstream.subscribe(() => sync.sender.wake());
  connectivity.shore.subscribe(() => sync.sender.wake());
  const parts: RepositoryContext = {
    store,
    ledger,
    projector,
    model,
    connectivity,
    edgeLink: link,
    cloudLink: shore,
    upstreams,
    sync,
    photographs,
    self,
    person,
    access: sight,
  };
  const memory = new BoxMemory(host, `${database}-boxes`);
  const index = new CustodyIndex(store, ledger);
  const surveys = createSurveyRepository(parts, index);
  const intakes = new Intakes(store, `${database}-intake`);
  const cards = createCardRepository(parts, index, intakes);
  const inHand = (): ReadonlySet<string> => new Set(sync.progress.facts.get().inFlight.map(({ docId }) => docId));
  const freeing = new FreeingWatch(
    { store, ledger, inHand },
    () => sync.place.get() === 'here' && !connectivity.facts.get().offlineByChoice,
  );
  const account = createAccountRepository(parts, person, servedBy);
  const people = createPersonRepository(parts, person);
  const profile = createProfileRepository(parts, person);
  const edge = createEdgeRepository(parts, person, memory);
  const analyses = createAnalysisRepository(parts, `${database}-census`);

  const stopFollowing = followOtherTabs(parts);
  const stopReports =
    reports === undefined ? () => Promise.resolve() : report(parts, reports, www, `${database}-reports`);
  const stopOwing = tellOwing(store, ledger, link, sync);
  projector
    .start()
    .catch((error: unknown) => host.log.note('error', 'The read model could not be built.', { error: String(error) }));
  connectivity.start((await store.fact('offlineByChoice')) ?? false);
  sync.start();

  return {
    parts,
    repositories: {
      surveys,
      images: createImageRepository(parts),
      people,
      edge,
      packs: createPackRepository(parts, memory),
      sending: createSendingRepository(parts),
      custody: createCustodyRepository(parts, index),
      cards,
      rescue: createRescueRepository(parts),
      conflicts: createConflictRepository(parts),
      account,
      admin: createAdminRepository(parts),
      profile,
      space: createSpaceRepository(parts, freeing),
      storage: createStorageRepository(store, ledger),
      log: createLogRepository(host.log),
      reefs: createReefRepository(parts),
      analyses,
    },
    close: async () => {
      await stopReports();
      connectivity.close();
      stopFollowing();
      stopOwing();
      stopPerson();
      stopKnown();
      sight.close();
      surveys.close();
      cards.close();
      account.close();
      profile.close();
      edge.close();
      analyses.close();
      freeing.close();
      intakes.close();
      await sync.close();
      await link.close();
      await shore.close();
      fresh.close();
      await projector.close();
      ledger.close();
      await (await model).close();
      memory.close();
      store.close();
    },
  };
}

/** The cloud that this tablet knows by its address. */
function knownWww({ clouds }: Pick<Ledger, 'clouds'>): Www | undefined {
  const cloud = clouds.find(({ origin }) => origin !== null);
  return cloud === undefined || cloud.origin === null
    ? undefined
    : { origin: cloud.origin, traceKeys: cloud.traceKeys, cloud };
}

/** Sends errors to the shore whenever a way may have opened. Gives the way to stop. */
function report(
  { store: { host }, connectivity, person }: RepositoryContext,
  { surroundings, address }: NonNullable<TabletOptions['reports']>,
  www: Www | undefined,
  database: string,
): () => Promise<void> {
  const addressNow = (): string | null => {
    const { offlineByChoice, browserOnline, answering } = connectivity.facts.get();
    if (offlineByChoice || !browserOnline) return null;
    if (address !== undefined) return address;
    return www !== undefined && answering === 'www' ? `${www.origin}${LOG_PATH}` : null;
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

/** A pairing or a choice made in another tab holds in this one too. */
function followOtherTabs({ store, ledger, connectivity, edgeLink, cloudLink }: RepositoryContext): () => void {
  const origins = (): string =>
    [
      ...ledger.edges.map(({ nodeId, origin, pairedAt }) => `${nodeId} ${origin} ${pairedAt}`),
      ...ledger.clouds.map(({ nodeId, origin, credential }) => `${nodeId} ${origin ?? ''} ${credential ?? ''}`),
    ].join('\n');
  let known = origins();
  const stops = [
    ledger.onChange(() => {
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
        void connectivity.stayOffline(offline);
        if (offline) {
          edgeLink.drop();
          cloudLink.drop();
        }
      },
    ),
  ];
  return () => stops.forEach((stop) => stop());
}
