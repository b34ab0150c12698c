import os from 'node:os';
import type { Folded } from '../../src/domain/fold/fold';
import type { Json } from '../../src/domain/json';
import { isObject } from '../../src/domain/json';
import { redactor } from '../../src/server/process/redact';
import type { EdgeContext } from '../context';
import { bridgeReport, bridgeState } from '../bridge/bridge-routes';
import { SCHEMA_VERSION } from '../store/migrate';
import { shoreState } from '../reads/shore-statistics';

/** Fields of a log line that describe the event and never a person. */
const LOGGED_FIELDS = [
  'level',
  'time',
  'msg',
  'why',
  'reason',
  'method',
  'route',
  'status',
  'code',
  'sha256',
  'bytes',
  'size',
  'records',
  'documents',
  'partials',
  'swept',
  'verified',
  'url',
  'storeEpoch',
  'field',
] as const;

/**
 * Builds the diagnostics for support: versions, counts, settings, last log lines. No personal data: no names, email
 * addresses, ids of people, records, photographs or secrets.
 */
export async function diagnostics(context: EdgeContext): Promise<object> {
  const {
    queries,
    store,
    record,
    settings,
    version,
    clock,
    time,
    state,
    reference,
    gps,
    receiptKey,
    traceKey,
    bundleKey,
    pairing,
    logTail,
  } = context;
  const meta = await queries.meta();
  const { surveys, ...owed } = shoreState(record.database, meta.owedBytes ?? 0);
  const report = bridgeReport(context);
  const scrub = redactor(personalTerms(context));
  const sessions = state.countSessions();
  return {
    format: 'reef-diagnostics',
    v: 1,
    at: new Date(clock()).toISOString(),
    box: {
      ...store.identity,
      name: settings.name,
      version,
      schema: SCHEMA_VERSION,
      node: process.version,
      platform: `${os.platform()} ${os.release()} ${os.arch()}`,
      cpus: os.cpus().length,
      memory: { total: os.totalmem(), free: os.freemem(), process: process.memoryUsage().rss },
      upSeconds: Math.round(process.uptime()),
    },
    counts: {
      ...meta.totals,
      people: undefined,
      peopleKnown: meta.totals.people,
      surveysOwing: surveys.filter((one) => one.owed > 0).length,
      tablets: state.devices().length,
      sessions: sessions.all,
      signedIn: sessions.people,
    },
    owed,
    disk: meta.disk,
    clock: { known: new Date(time.now()).toISOString(), gps: gps.state?.() ?? null },
    bridge: { ...bridgeState(context), report: report === null ? null : { ...report, words: scrub(report.words) } },
    keys: {
      receipt: receiptKey.publicKeys.map(({ kid }) => kid),
      trace: traceKey.publicKeys.map(({ kid }) => kid),
      bundle: bundleKey.publicKeys.map(({ kid }) => kid),
    },
    reference: reference.names(),
    settings: {
      host: settings.host,
      port: settings.port,
      publicUrl: settings.publicUrl?.origin ?? null,
      edgeUrl: settings.edgeUrl?.origin ?? null,
      cloudUrl: settings.cloudUrl?.origin ?? null,
      allowedOrigins: settings.allowedOrigins.length,
      ownCertificate: settings.tls === null,
      adminTokenGiven: settings.adminToken !== null,
      pairing: pairing.mode,
      minFreeBytes: settings.minFreeBytes,
      gps: settings.gpsUrl === null ? null : settings.gpsUrl.replace(/:\/\/.*$/, ''),
    },
    log: logTail.lines().map((line) => redactLine(line, scrub)),
  };
}

function redactLine(line: string, scrub: (text: string) => string): object {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { msg: '(a line that could not be read)' };
  }
  if (!isObject(value)) return {};
  const entry = value;
  const clean = (of: unknown): unknown =>
    typeof of === 'string' ? scrub(of) : typeof of === 'number' || typeof of === 'boolean' ? of : undefined;
  const error = isObject(entry['err']) ? entry['err'] : undefined;
  return {
    ...Object.fromEntries(LOGGED_FIELDS.flatMap((key) => (entry[key] === undefined ? [] : [[key, clean(entry[key])]]))),
    ...(error === undefined
      ? {}
      : { err: { type: clean(error['type']), code: clean(error['code']), message: clean(error['message']) } }),
  };
}

/** Lists terms to redact; the home folder may be named after a person. */
function personalTerms({ state, record, settings, adminToken }: EdgeContext): [string, string][] {
  const words: [string, string][] = [
    [adminToken, '<secret>'],
    [settings.home, '<home>'],
    [os.homedir(), '<home>'],
  ];
  if (settings.gpsUrl !== null) words.push([settings.gpsUrl.replace(/^.*:\/\/|:[0-9]+\/?$/g, ''), '<gps>']);
  for (const { uid, email, first, last } of state.people())
    words.push([uid, '<person>'], [email, '<email>'], [first, '<name>'], [last, '<name>']);
  for (const { id, name } of state.devices()) words.push([name, '<tablet>'], [id, '<tablet-id>']);
  for (const { doc_id, folded } of record.database
    .prepare<[], { doc_id: string; folded: string }>("SELECT doc_id, folded FROM docs WHERE kind = 'profile'")
    .iterate()) {
    words.push([doc_id, '<person>']);
    const { doc } = JSON.parse(folded) as Folded;
    for (const text of texts(doc['name'])) words.push([text, '<name>']);
    for (const text of texts(doc['email'])) words.push([text, '<email>']);
  }
  return words;
}

function texts(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) ? Object.values(value).flatMap((part) => texts(part as Json)) : [];
}
