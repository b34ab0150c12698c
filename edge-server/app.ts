import { randomBytes } from 'node:crypto';
import type { Server as HttpsServer } from 'node:https';
import path from 'node:path';
import type { Logger } from 'pino';
import { makeId } from '../src/domain/ids';
import { LogTail } from '../src/server/process/log-tail';
import type { EdgeContext } from './context';
import { handleErrors, createHttpApp } from '../src/server/http/http-app';
import { appFileRoutes } from '../src/server/http/app-files';
import { html } from '../src/server/pages/html';
import { Receiver } from './gps/receiver';
import { openStores } from './open-stores';
import type { EdgeStores } from './open-stores';
import { blobRoutes } from './reads/blob-routes';
import { bridgeRoutes } from './bridge/bridge-routes';
import { reportRoutes } from './bridge/report-routes';
import { cacheRoutes } from './reads/cache-routes';
import { enforcePolicy } from './sign-in/caller';
import { consoleRoutes } from './console/console-routes';
import { exportRoutes } from './drive/export-routes';
import { freeingRoutes } from './freeing/freeing-routes';
import { healthRoutes } from '../src/server/http/health-routes';
import { opsRoutes } from './intake/ops-routes';
import { pairingRoutes } from './pairing/pairing-routes';
import { referenceRoutes } from './bridge/reference-routes';
import { sessionRoutes } from './sign-in/session-routes';
import { PersonStatements } from './sign-in/person-statements';
import { signInRoutes } from './sign-in/sign-in-routes';
import { statsRoutes } from './reads/stats-routes';
import { tileRoutes } from '../src/server/tiles/tile-routes';
import { traceRoutes } from './pairing/trace-routes';
import { trustRoutes } from './pairing/trust-routes';
import { uploadRoutes } from './intake/upload-routes';
import type { BuiltServer, ServerHooks } from '../src/server/http/server-app';
import { listenAt, otherServers, prepareServerApp, recordRoutes, serverBasics } from '../src/server/http/server-app';
import { Refusals } from '../src/server/http/refusals';
import { SettingsError } from '../src/server/process/environment';
import { secretFile } from '../src/server/files/secret-file';
import { BoxState } from './store/box-state';
import { DiskUse } from './freeing/disk-use';
import { revokedSignIn, withCurrentRoles, rolesOnTablet } from './sign-in/revoked-sign-in';
import { Freeing } from './freeing/freeing';
import type { GpsFix, GpsSource } from './vessel/gps-source';
import { noGps } from './vessel/gps-source';
import { openImageLinks } from './reads/open-image-links';
import { Intake } from './intake/intake';
import { claimedIdOf } from './sign-in/tablet-id';
import { TrustedTime } from './sign-in/trusted-time';
import { Metrics } from './console/metrics';
import { Origins } from './sign-in/origins';
import { Pairing } from './pairing/pairing';
import { Queries } from './reads/queries';
import { ReferenceData } from './bridge/reference-data';
import { Senders } from './reads/senders';
import { Sessions } from './sign-in/sessions';
import { StoreStatistics } from './reads/store-statistics';
import { MapStore } from './maps/map-store';
import { mapRoutes } from './maps/map-routes';
import { OutlineStore } from './outlines/outline-store';
import { outlineRoutes } from './outlines/outline-routes';
import { Subscriptions } from './reads/subscriptions';
import { Track } from './vessel/track';
import { Variants } from '../src/server/variants/variants';
import type { EdgeSettings } from './settings';
import { ADMIN_TOKEN_MIN } from './settings';
import { createDataFolder } from '../src/server/process/create-data-folder';
import { serveSocket } from './socket/socket-server';
import type { UnverifiedLimits } from './socket/unverified';
import { VesselStore } from './store/vessel-store';
import { TileSources } from '../src/server/tiles/tile-sources';
import { ServerCertificate } from './tls/server-certificate';

const NOT_BUILT = html`<p>The box runs and takes photographs, but the app it should show has not been built. Run <code>npm run build</code> and start the box again.</p>`;

export interface EdgeHooks extends ServerHooks {
  readonly logTail?: LogTail;
  readonly gps?: GpsSource;
  /** Folder of the bundled charts; staff put theirs into `REEF_HOME/edge/tiles`. */
  readonly tilesFolder?: string | null;
  /** Limits of sockets until they are verified. */
  readonly unverified?: Partial<UnverifiedLimits>;
  /** Pause of the scrub between two photographs, ms. */
  readonly scrubStepMs?: number;
}

export type Edge = BuiltServer<EdgeContext>;

/** Builds the edge server over the data of its home folder; see {@link BuiltServer}. */
export async function buildEdge(settings: EdgeSettings, hooks: EdgeHooks = {}): Promise<Edge> {
  const { clock, log, onFatal } = serverBasics('edge', hooks);
  createDataFolder(settings.home);
  const stores = await openStores(settings, {
    clock,
    log,
    onFatal,
    probe: hooks.probe,
    disk: hooks.disk,
    scrubStepMs: hooks.scrubStepMs,
  });
  const stamp = () => new Date(clock());
  const state = new BoxState(settings.home, stamp, (message) => log.error(message));
  const vessel = new VesselStore(settings.home, stamp, (message) => log.error(message));
  const outlines = new OutlineStore(settings.home, stamp, (message) => log.error(message));
  try {
    const maps = await MapStore.open(settings, (message) => log.warn(message), hooks.disk);
    const tls = await ServerCertificate.open(settings, clock);
    const context = createContext(settings, hooks, {
      clock,
      log,
      stores,
      state,
      vessel,
      outlines,
      maps,
      localCa: () => tls?.ca ?? null,
    });
    maps.onChanged = () => context.tiles.refresh();
    return await assemble(context, tls, { stores, vessel, outlines }, hooks);
  } catch (error) {
    outlines.close();
    vessel.close();
    state.close();
    await stores.close();
    throw error;
  }
}

interface ContextParts {
  readonly clock: () => number;
  readonly log: Logger;
  readonly stores: EdgeStores;
  readonly state: BoxState;
  readonly vessel: VesselStore;
  readonly outlines: OutlineStore;
  readonly maps: MapStore;
  readonly localCa: EdgeContext['localCa'];
}

function createContext(
  settings: EdgeSettings,
  hooks: EdgeHooks,
  { clock, log, stores, state, vessel, outlines, maps, localCa }: ContextParts,
): EdgeContext {
  const { store, blobs, receiptKey, traceKey, bundleKey, personKey } = stores;
  const version = hooks.version ?? '0.0.0';
  const imageLinks = openImageLinks(state);
  const time = new TrustedTime(state);
  const gps =
    hooks.gps ??
    (settings.gpsUrl === null
      ? noGps
      : new Receiver(settings.gpsUrl, {
          clocks: { wall: clock, latestKnown: () => time.now(), monotonic: () => performance.now() },
          log,
        }));
  const learn = (fix: GpsFix): void => {
    if (fix.isTimeSure !== false) time.trust(Date.parse(fix.time));
  };
  const fix = gps.current();
  if (fix !== null) learn(fix);
  gps.onFix(learn);
  // A box whose clock was set back must not treat stored fixes as new.
  const latest = () => Math.max(clock(), time.now());
  const track = new Track(vessel, latest);
  gps.onFix((next) => track.addFix(next));
  const senders = new Senders({ vessel, state, store, clock });
  const diskUse = new DiskUse(vessel, () => time.now());
  const { name, minFreeBytes } = settings;
  const reference = new ReferenceData(state);
  const queries = new Queries({
    store,
    blobs,
    statistics: new StoreStatistics(store.database),
    gps,
    track,
    senders,
    diskUse,
    imageLinks,
    outlines,
    maps,
    reference,
    clock,
    latest,
    version,
    name,
    minFreeBytes,
  });
  const intake = new Intake(store, blobs, (uid, deviceId, key) =>
    rolesOnTablet({ reference, state }, uid, deviceId, key),
  );
  const sessions = new Sessions(
    state,
    (person, deviceId) => revokedSignIn(reference, person, deviceId),
    (person) => withCurrentRoles(reference, person),
    {
      now: () => time.at(clock()),
      isDeviceRevoked: (tabletId) => reference.revocations().revokesDevice(claimedIdOf(tabletId)),
    },
  );
  const variants = new Variants(path.join(settings.home, 'variants'), blobs, {
    onBroken: (broken) => log.warn(broken, 'a photograph broke the process that made its picture; not tried again'),
  });
  const metrics = new Metrics(store, blobs);
  const freeing = new Freeing({
    store,
    blobs,
    intake,
    cloudKeys: () => reference.cloudKeys(),
    latestTime: latest,
    clock,
    elapsed: () => performance.now(),
    retainPreview: (sha256) => variants.retain(sha256),
    newId: () => makeId(randomBytes),
    onFreed: ({ bytes }, why) => metrics.recordFreed({ bytes, why }),
    log,
  });
  return {
    settings,
    clock,
    probe: hooks.probe ?? (() => undefined),
    log,
    logTail: hooks.logTail ?? new LogTail(),
    version,
    store,
    blobs,
    receiptKey,
    traceKey,
    bundleKey,
    personKey,
    people: new PersonStatements({ state, store, signer: personKey, clock, log }),
    record: store,
    adminToken: readAdminToken(settings),
    refusals: new Refusals(log),
    state,
    time,
    pairing: new Pairing(state, settings.pairing, clock),
    sessions,
    reference,
    origins: new Origins(settings),
    intake,
    freeing,
    queries,
    subscriptions: new Subscriptions(queries, store, gps, senders, log),
    imageLinks,
    variants,
    gps,
    track,
    errorReports: vessel,
    usage: vessel,
    outlines,
    maps,
    senders,
    diskUse,
    // Staff may add a better chart under the same name.
    tiles: new TileSources(
      [
        path.join(settings.home, 'tiles'),
        maps,
        ...(hooks.tilesFolder === undefined || hooks.tilesFolder === null ? [] : [hooks.tilesFolder]),
      ],
      (message) => log.error(message),
    ),
    metrics,
    localCa,
  };
}

/** @throws SettingsError if its file holds a short one, which a person wrote: those of the box are longer */
function readAdminToken({ home, adminToken }: EdgeSettings): string {
  const file = path.join(home, 'admin-token');
  const token = secretFile(file, adminToken);
  if (token.length < ADMIN_TOKEN_MIN)
    throw new SettingsError(
      `${file}: must hold at least ${ADMIN_TOKEN_MIN} characters. Delete it and start again: the box makes a new one.`,
    );
  return token;
}

async function assemble(
  context: EdgeContext,
  tls: ServerCertificate | null,
  { stores, vessel, outlines }: Pick<ContextParts, 'stores' | 'vessel' | 'outlines'>,
  { appFolder = null, limits, unverified }: EdgeHooks,
): Promise<Edge> {
  const { allowedOrigins, publicUrl, edgeUrl, cloudUrl } = context.settings;
  const app = createHttpApp(tls, { limits });
  const routes = recordRoutes(app);
  handleErrors(app, {
    log: context.log,
    onError: (request, error) =>
      context.refusals.note({
        route: `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
        error,
        by: request.caller?.session?.person?.uid,
      }),
    onAnswered: (method, route, status) => context.metrics.requests.inc({ method, route, status: String(status) }),
  });
  await prepareServerApp(app, {
    origins: context.origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH'],
    servers: otherServers(allowedOrigins, [publicUrl, edgeUrl, cloudUrl]),
    appFolder,
  });
  enforcePolicy(app, context);
  for (const add of [
    traceRoutes,
    pairingRoutes,
    signInRoutes,
    sessionRoutes,
    statsRoutes,
    referenceRoutes,
    blobRoutes,
    opsRoutes,
    cacheRoutes,
    trustRoutes,
    consoleRoutes,
    bridgeRoutes,
    reportRoutes,
    outlineRoutes,
    freeingRoutes,
    exportRoutes,
    healthRoutes,
  ])
    add(app, context);
  await uploadRoutes(app, context);
  await mapRoutes(app, context);
  tileRoutes(app, context);
  await appFileRoutes(app, { folder: appFolder, notBuilt: NOT_BUILT });

  const io = serveSocket(app.server, context, unverified);
  // Fastify's close waits for every connection, and a socket never ends on its own.
  app.addHook('preClose', async () => {
    context.subscriptions.close();
    io.disconnectSockets(true);
    io.engine.close();
  });
  let closing: Promise<void> | undefined;
  return {
    app,
    context,
    routes,
    async listen() {
      const { host, port } = context.settings;
      const url = await listenAt(app, { host, port, scheme: tls === null ? 'http' : 'https' }, context.origins);
      tls?.startRenewal(app.server as unknown as HttpsServer, context.log);
      return url;
    },
    close() {
      closing ??= (async () => {
        tls?.close();
        // First: a picture that the end interrupts would count as broken.
        await context.variants.close();
        await app.close();
        context.gps.close();
        context.senders.close();
        context.diskUse.close();
        context.tiles.close();
        context.metrics.close();
        await stores.close();
        outlines.close();
        vessel.close();
        context.state.close();
      })();
      return closing;
    },
  };
}
