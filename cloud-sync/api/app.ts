import path from 'node:path';
import { CLOUD_SEAL_KEY } from '../../src/protocol/bundle';
import { appFileRoutes } from '../../src/server/http/app-files';
import { Refusals } from '../../src/server/http/refusals';
import { ThreadVerifier } from '../../src/server/ops/thread-verifier';
import { html } from '../../src/server/pages/html';
import { handleErrors, createHttpApp } from '../../src/server/http/http-app';
import { ImageLinks } from '../../src/server/variants/image-links';
import { createDataFolder } from '../../src/server/process/create-data-folder';
import type { BuiltServer, ServerHooks } from '../../src/server/http/server-app';
import { listenAt, otherServers, prepareServerApp, recordRoutes, serverBasics } from '../../src/server/http/server-app';
import { openAccounts } from './accounts/accounts';
import type { PasswordCost } from './accounts/sign-in/passwords';
import { profileName } from './accounts/people/people';
import { Variants } from '../../src/server/variants/variants';
import type { CloudContext } from './context';
import { openStores } from './open-stores';
import type { CloudStores } from './open-stores';
import { toDatabaseError } from './postgres/database-error';
import { grantsMirroring } from './access/access-reads';
import { sessionRoutes } from './accounts/sessions/session-routes';
import { emailAccountRoutes } from './accounts/sign-in/email-account-routes';
import { secondFactorRoutes } from './accounts/second-factor/second-factor-routes';
import { adminRoutes } from './accounts/people/admin-routes';
import { acceptPeople, bundleRoutes } from './bundles/bundle-routes';
import { changesRoutes } from './feed/changes-routes';
import type { StreamLimits } from './feed/event-streams';
import { consoleCookie, consoleRoutes } from './console/console-routes';
import { guard, noteRefusal } from './access/guard';
import { profilePhotoRoutes } from './accounts/people/profile-photo-routes';
import { placeRoutes } from './places/place-routes';
import { windowRoutes } from './accounts/window/window-routes';
import { providerRoutes } from './accounts/providers/provider-routes';
import { addDemoReference } from './reference/demo-reference';
import { addDemoMap } from './region-data/demo-map';
import { signInRoutes } from './accounts/sign-in/sign-in-routes';
import { uploadRoutes } from './images/upload-routes';
import type { GrantAccess } from './accounts/people/account-creation';
import { DeviceKeys } from './accounts/sessions/device-keys';
import { AccountDirectory } from './accounts/people/account-directory';
import { Boxes } from './fleet/boxes';
import { BlobAccess } from './access/blob-access';
import { openBundles } from './bundles/bundles';
import type { CallerSource } from './access/cloud-callers';
import { CloudCallers } from './access/cloud-callers';
import { CloudIntake } from './intake/cloud-intake';
import { IntakePace } from './intake/intake-pace';
import { openMailer } from './accounts/mail/mailer';
import { openHousekeeping } from './open-housekeeping';
import { Metrics } from './health/metrics';
import { monitorSource } from './health/monitor-source';
import { Origins } from './access/origins';
import { SenderQuotas } from './access/quotas';
import type { Quotas } from './access/quotas';
import { Jobs } from './jobs/jobs';
import { VariantJobs } from './images/variant-jobs';
import { Previews } from './images/previews';
import { openCensus } from './open-census';
import { ROUTES } from './routes';
import { openOutlines } from './outlines/open-outlines';
import { SharedPictureMarks } from './images/shared-picture-marks';
import { BoxReceiptVerifier } from './intake/box-receipt-verifier';
import { ReferenceData } from './reference/reference-data';
import { ErrorGroups } from './reports/error-groups';
import { UsageCounts } from './reports/usage-counts';
import { sharedSecret } from './store/shared-secret';
import { UnusedPhotos } from './accounts/people/unused-photos';
import { ParkedOpRetrier } from './intake/parked-op-retrier';
import type { CloudSettings } from './settings';
import { isBehindProxy, isPublicHttps } from './settings';
import { Reads } from './reads/reads';

export interface CloudHooks extends ServerHooks {
  /** Extra caller sources, tried before the default ones. */
  readonly callers?: readonly CallerSource[];
  /** Work of a password hash; by default as OWASP advises. */
  readonly passwordCost?: PasswordCost | undefined;
  readonly quotas?: Quotas;
  readonly streams?: Partial<StreamLimits>;
  /** Photographs of a batch of the census; 5,000 by default. */
  readonly batchSize?: number;
  /** Folder of the bundled chart. */
  readonly tilesFolder?: string | null;
}

const NOT_BUILT = html`<p>The service runs and takes records and photographs, but the app it should show has not been built. Run <code>npm run build</code> and start the service again.</p>`;

export type Cloud = BuiltServer<CloudContext>;

/** Builds the cloud service over its database and data folder. */
export async function buildCloud(settings: CloudSettings, hooks: CloudHooks = {}): Promise<Cloud> {
  const { clock, log, onFatal } = serverBasics('cloud', hooks);
  createDataFolder(settings.home);
  let retrier: ParkedOpRetrier | undefined;
  const stores = await openStores(settings, {
    clock,
    log,
    onFatal,
    probe: hooks.probe,
    disk: hooks.disk,
    onBytesStored: (sha256) => retrier?.onBytesStored(sha256),
  });
  try {
    const { database, store, blobs, receiptKey, traceKey } = stores;
    const boxReceiptVerifier = new BoxReceiptVerifier(database.pool, clock);
    const grantAccess: GrantAccess = async ({ of, by }) =>
      void (await store.grant(await grantsMirroring(database.pool, of, by)));
    const verifier = new ThreadVerifier((error) =>
      log.error({ err: error }, 'signatures are checked without their thread'),
    );
    const intake = new CloudIntake({
      store,
      held: store.held,
      people: new AccountDirectory(database.pool, grantAccess, new DeviceKeys(database.pool, clock)),
      boxOfReceipt: (op, shown) => boxReceiptVerifier.boxOf(op, shown),
      blobs,
      parking: store,
      isQuarantined: (kind, docId) => store.isQuarantined(kind, docId),
      verify: (key, sig, text) => verifier.verify(key, sig, text),
      onParkedError: (opId, error) =>
        log.error({ opId, err: error }, 'storing a waiting record failed; it stays queued'),
    });
    const previews = new Previews(database.pool, clock);
    const onBytesRestored = async (sha256: string): Promise<void> => {
      await store.markBlobRestored(sha256);
      await previews.remove(sha256);
    };
    retrier = new ParkedOpRetrier(intake, onBytesRestored, log);
    const accounts = await openAccounts({
      database,
      // Issuer name only: it must be the same in all processes of the service.
      baseUrl: settings.publicUrl ?? settings.cloudUrl ?? new URL('http://localhost'),
      clock,
      log,
      nameOf: (uid) => profileName(store, uid),
      showInProfile: (uid, fields) => store.setOwned('profile', uid, fields),
      grantAccess,
      passwordCost: hooks.passwordCost,
    });
    const boxes = new Boxes(database.pool, clock, settings.bridgeToken);
    await boxes.registerDefaultToken();
    const imageLinks = new ImageLinks(await sharedSecret(database.pool, 'images.secret'));
    const variantsFolder = path.join(settings.home, 'variants');
    const variants = new Variants(variantsFolder, blobs, {
      marks: await SharedPictureMarks.open(database.pool, variantsFolder),
      onBroken: (broken) => log.warn(broken, 'a photograph broke the process that made its picture; not tried again'),
    });
    const unusedPhotos = new UnusedPhotos({
      pool: database.pool,
      deleteBytes: stores.deleteBytes,
      markLost: (sha256) => store.markBlobLost(sha256),
      variants,
      clock,
      log,
    });
    const intakePace = new IntakePace();
    const referenceData = new ReferenceData(database.pool, clock);
    const outlineServices = openOutlines({
      pool: database.pool,
      store,
      variants,
      reference: referenceData,
      pace: intakePace,
      mlUrl: settings.mlUrl,
      onStored: () => census.figureJobs.request(),
      log,
    });
    const variantJobs = new VariantJobs({
      pool: database.pool,
      store,
      variants,
      links: imageLinks,
      pace: intakePace,
      onPictures: (made) => outlineServices.outlineJobs.request(made),
      log,
    });
    const census = await openCensus({
      pool: database.pool,
      store,
      home: settings.home,
      isDemo: settings.demo,
      disk: hooks.disk,
      tilesFolder: hooks.tilesFolder,
      batchSize: hooks.batchSize,
      clock,
      log,
    });
    const metrics = new Metrics(store, blobs);
    const context: CloudContext = {
      settings,
      clock,
      probe: hooks.probe ?? (() => undefined),
      log,
      refusals: new Refusals(log),
      version: hooks.version ?? '0.0.0',
      database,
      store,
      blobs,
      receiptKey,
      traceKey,
      boxes,
      callers: new CloudCallers(boxes, [
        ...(hooks.callers ?? []),
        monitorSource(settings.metricsToken),
        async (token) => (await accounts.callers.identify(token))?.caller,
      ]),
      accounts,
      mailer: openMailer({
        smtpUrl: settings.smtpUrl,
        from: settings.mailFrom,
        outbox: settings.outbox,
        log,
        clock,
        ...(hooks.disk === undefined ? {} : { disk: hooks.disk }),
      }),
      intake,
      boxReceiptVerifier,
      blobAccess: new BlobAccess(database.pool),
      reads: new Reads(database.pool, (imageId) => ({ ...imageLinks.linkFor(imageId) })),
      bundles: await openBundles({
        settings,
        clock,
        log,
        database,
        store,
        blobs,
        receiptKey,
        intake,
        acceptPeople: (node, people) => acceptPeople({ accounts, intake, log }, node, people),
      }),
      referenceData,
      errorGroups: new ErrorGroups(database.pool, clock),
      usageCounts: new UsageCounts(database.pool, clock),
      imageLinks,
      variants,
      unusedPhotos,
      housekeeping: openHousekeeping({ pool: database.pool, clock, settings, unusedPhotos, stores, log }),
      variantJobs,
      ...outlineServices,
      ...census,
      intakePace,
      previews,
      origins: new Origins(settings),
      metrics,
      quotas: new SenderQuotas({ clock, log, registry: metrics.registry, quotas: hooks.quotas }),
      ping: async () => void (await database.pool.query('SELECT 1')),
    };
    // Bridges carry it aboard with the other reference data.
    await context.referenceData.put(CLOUD_SEAL_KEY, { recipient: context.bundles.sealKeys.recipient });
    return await assemble(context, { stores, waiting: retrier, verifier }, hooks);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

interface CloudParts {
  readonly stores: CloudStores;
  readonly waiting: ParkedOpRetrier;
  readonly verifier: ThreadVerifier;
}

async function assemble(
  context: CloudContext,
  { stores, waiting: retrier, verifier }: CloudParts,
  { appFolder = null, limits, streams }: CloudHooks,
): Promise<Cloud> {
  const { settings, log } = context;
  const app = createHttpApp(null, { proxied: true, limits });
  const routes = recordRoutes(app);
  handleErrors(app, {
    log,
    mapError: toDatabaseError,
    onError: (request, error) => noteRefusal(context, request, error),
    onAnswered: (method, route, status) => context.metrics.requests.inc({ method, route, status: String(status) }),
  });
  await prepareServerApp(app, {
    origins: context.origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    servers: otherServers(settings.allowedOrigins, [settings.publicUrl, settings.cloudUrl]),
    appFolder,
    isHttpsLasting: isPublicHttps(settings),
  });
  consoleCookie(app, settings);
  guard(app, context);
  for (const add of ROUTES) add(app, context);
  changesRoutes(app, context, streams);
  sessionRoutes(app, context);
  emailAccountRoutes(app, context);
  secondFactorRoutes(app, context);
  adminRoutes(app, context);
  profilePhotoRoutes(app, context);
  placeRoutes(app, context);
  signInRoutes(app, context);
  providerRoutes(app, context);
  windowRoutes(app, context);
  bundleRoutes(app, context);
  consoleRoutes(app, context);
  await uploadRoutes(app, context);
  await appFileRoutes(app, { folder: appFolder, notBuilt: NOT_BUILT });
  if (settings.demo) {
    await addDemoReference(context.database.pool);
    await addDemoMap(context.database.pool, appFolder, new Date(context.clock()));
  }
  retrier.start();
  context.housekeeping.start();
  const jobs = new Jobs({
    url: context.database.url,
    lists: [
      { name: 'pictures', tasks: { ...context.variantJobs.tasks, ...context.outlineJobs.tasks } },
      ...context.census.lists,
    ],
    log,
    isSoleProcess: settings.databaseUrl === null,
  });
  context.variantJobs.enqueueNew();
  context.census.start();
  if (!isBehindProxy(settings))
    log.warn(
      'this service speaks plain http beyond this machine; put something in front of it that speaks https, and say its address in PUBLIC_URL',
    );

  let closing: Promise<void> | undefined;
  return {
    app,
    context,
    routes,
    listen: () => listenAt(app, { host: settings.host, port: settings.port, scheme: 'http' }, context.origins),
    close() {
      closing ??= (async () => {
        // First: a picture that the end interrupts would count as broken.
        await context.variants.close();
        await app.close();
        await retrier.close();
        await verifier.close();
        await context.housekeeping.close();
        context.mailer.close();
        await context.variantJobs.close();
        await context.census.close();
        await jobs.close();
        context.tiles.close();
        context.metrics.close();
        await stores.close();
      })();
      return closing;
    },
  };
}
