import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import { formatBytes } from '../../src/base/format-bytes';
import { formatCount } from '../../src/base/plural';
import { formatPairingCode, pairingLink } from '../../src/domain/pairing-link';
import { LIMITS } from '../../src/domain/limits';
import { formatAge, formatPosition } from '../../src/domain/position/format-position';
import type { Theme } from '../../src/domain/theme';
import type { EdgeSender } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { hostsOf, slugOf } from '../sign-in/origins';
import { isLoopback } from '../../src/server/process/environment';
import { needsTls } from '../settings';
import { html, trustedHtml, type Html, type HtmlValue } from '../../src/server/pages/html';
import { page, themeOf, sendPage } from '../../src/server/pages/page';
import { bar, definitionList, formatMoment, notes, formatNumber, table } from '../../src/server/pages/page-parts';
import { diagnostics } from './diagnostics';
import type { ShoreState } from '../reads/shore-statistics';
import { shoreState } from '../reads/shore-statistics';
import { consoleForms, csrfToken } from './console-forms';
import { sessionsSection } from './console-sessions';
import { clockRows, owedSection, shoreSection, surveysTable } from './console-shore';
import { brokenPicturesAlert, consoleAlerts, heicAlert } from './console-alerts';

/**
 * `GET /edge/console`: pairing, tablets, contents, disk and shore link, for crew and staff; `GET /edge/diagnostics`:
 * data for finding a fault, without personal data.
 */
export function consoleRoutes(app: FastifyInstance, context: EdgeContext): void {
  consoleForms(app, context);

  app.get('/edge/diagnostics', async (_request, reply) => {
    const name = `${slugOf(context.settings.name)}-${new Date(context.clock()).toISOString().slice(0, 10)}-diagnostics.json`;
    return reply
      .type('application/json; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .header('Content-Disposition', `attachment; filename="${name}"`)
      .send(`${JSON.stringify(await diagnostics(context), undefined, 2)}\n`);
  });

  app.get('/edge/console', async (request, reply) => {
    const theme = themeOf(request, reply, '/edge');
    return sendPage(reply, await consolePage(context, originOf(context, request.host), theme));
  });
}

/**
 * Address at which tablets reach this box: `PUBLIC_URL`, else this request's host if it is the box's own and not
 * loopback, else its local network name.
 *
 * @param host of the request, with its port; untrusted, so it is looked up
 */
function originOf({ settings, origins }: EdgeContext, host: string): string {
  if (settings.publicUrl !== null) return settings.publicUrl.origin;
  const scheme = needsTls(settings) ? 'https' : 'http';
  const asked = `${scheme}://${host}`;
  const port = URL.canParse(asked) ? new URL(asked).port : '';
  const name = URL.canParse(asked) ? new URL(asked).hostname.replace(/^\[|\]$/g, '') : '';
  if (name !== '' && !isLoopback(name) && origins.allows(new URL(asked).origin)) return new URL(asked).origin;
  const local = hostsOf(settings).find((each) => each.endsWith('.local'));
  return local === undefined || isLoopback(settings.host)
    ? asked
    : `${scheme}://${local}${port === '' ? '' : `:${port}`}`;
}

async function consolePage(context: EdgeContext, origin: string, theme: Theme): Promise<Html> {
  const { disk, owedBytes, totals } = await context.queries.meta();
  const senders = (await context.queries.run('senders', undefined, 'admin')) as readonly EdgeSender[];
  const shore = shoreState(context.record.database, owedBytes ?? 0);
  const now = context.clock();
  const pair = html`<section class="card" aria-labelledby="pair"><h2 id="pair">Pair a tablet</h2>${await pairingSection(context, origin)}</section>`;
  const way = html`<section class="card" aria-labelledby="shore"><h2 id="shore">Way to the shore</h2>${shoreSection(context, shore)}</section>`;
  const owed = html`<section class="card" aria-labelledby="owed"><h2 id="owed">Owed to the shore</h2>${owedSection(context, shore)}</section>`;
  const room = html`<section class="card" aria-labelledby="disk"><h2 id="disk">Disk</h2>${diskSection(context, disk, shore)}</section>`;
  // A box without tablets waits for pairing; later the shore link matters most.
  const [first, second, third, fourth] =
    senders.length === 0 ? ([pair, room, way, owed] as const) : ([way, owed, room, pair] as const);
  return page(
    `${context.settings.name} is working`,
    html`<div class="first"><p class="lead">${summary(senders, shore)} As of ${formatMoment(new Date(now).toISOString())}.</p><a class="button line" href="/edge/console">Refresh</a></div>
${notes([...consoleAlerts(context, shore, disk), ...brokenPicturesAlert(context, (await context.variants.broken()).length), ...heicAlert(context)])}
<div class="pair">${first}${second}</div>
<section class="card" aria-labelledby="surveys"><h2 id="surveys">Surveys</h2>${surveysTable(shore)}</section>
<div class="pair">${third}${fourth}</div>
<section class="card" aria-labelledby="tablets"><h2 id="tablets">Tablets</h2>${tabletsTable(senders, now)}</section>
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Who has access</h2>${sessionsSection(context)}</section>
<section class="card two" aria-labelledby="aboard"><h2 id="aboard">Aboard</h2>${aboardSection(context, totals)}</section>`,
    { of: context.settings.name, theme, at: '/edge/console' },
  );
}

type Meta = Awaited<ReturnType<EdgeContext['queries']['meta']>>;

function diskSection(
  { settings }: EdgeContext,
  { free, size, daysUntilFull: days }: Meta['disk'],
  { freed, ashoreBytes }: ShoreState,
): Html {
  const used = size - free;
  const full = free < settings.minFreeBytes;
  const figure = full
    ? 'No room'
    : days === undefined || days === null
      ? `${formatBytes(free)} free`
      : days < 1
        ? 'Less than a day'
        : formatCount(Math.floor(days), 'day');
  const until = full
    ? 'for more photographs'
    : days === undefined || days === null
      ? 'A forecast needs photographs from two days.'
      : 'until the disk is full, at the pace of the last week';
  return html`<p class="figure">${figure}</p><p>${until}</p>
${bar(used / size, settings.minFreeBytes === 0 ? null : 1 - settings.minFreeBytes / size)}
<p class="small">${formatBytes(used)} of ${formatBytes(size)} used, ${formatBytes(free)} free.${settings.minFreeBytes === 0 ? '' : ` Below ${formatBytes(settings.minFreeBytes)} free, the box accepts no more photographs; they wait on the tablets.`}</p>
${freeingText(freed, ashoreBytes, { free: free - settings.minFreeBytes, days: days ?? null })}`;
}

function freeingText(
  freed: ShoreState['freed'],
  ashoreBytes: number,
  { free, days }: { readonly free: number; readonly days: number | null },
): HtmlValue {
  if (freed.photographs === 0 && ashoreBytes === 0) return '';
  const longer =
    days === null || free <= 0
      ? ''
      : `, and the disk then lasts about ${formatCount(Math.floor((days * (free + ashoreBytes)) / free), 'day')}`;
  const rows: [string, string][] = [
    [
      'Freed, as the cloud has it',
      freed.photographs === 0
        ? 'nothing yet'
        : `${formatCount(freed.photographs, 'photograph')}, ${formatBytes(freed.bytes)}`,
    ],
    ['Ashore, and still here', ashoreBytes === 0 ? 'nothing' : `${formatBytes(ashoreBytes)}${longer}`],
  ];
  return html`${definitionList(rows)}<p class="small">The box frees full-size photographs automatically, ${formatNumber(Math.round(LIMITS.boxFreeAfterMs / 86_400_000))} days after the cloud’s receipt or from ${formatNumber(100 * LIMITS.boxFreeFromUsed)} % of the disk on, once the cloud, asked over the bridge, still has them. Records, receipts and a small picture of each stay.</p>`;
}

function aboardSection(context: EdgeContext, totals: Meta['totals']): Html {
  const sessions = context.state.countSessions();
  const gps = context.queries.gps();
  return html`${definitionList([
    ['Surveys', formatNumber(totals.surveys)],
    ['Photographs', totals.images === 0 ? '0' : `${formatNumber(totals.images)}, ${formatBytes(totals.bytes)}`],
    ['Analyses', formatNumber(totals.analyses)],
    ['People', formatNumber(totals.people)],
    [
      'Position',
      gps === null ? 'not known' : `${formatPosition(gps.lat, gps.lng) ?? 'not known'}, ${formatAge(gps.age)} old`,
    ],
    [
      'Tablets let in',
      sessions.all === 0
        ? 'none yet'
        : `${formatNumber(sessions.all)}, ${sessions.people === 0 ? 'no one signed in' : `${formatNumber(sessions.people)} with a person signed in`}`,
    ],
    ...clockRows(context),
    ['Version', context.version],
  ])}
<details><summary>For support ashore</summary>
<p>What they need to find a fault, in one file: versions, counts, settings, the last lines of the log. No names, no mail addresses, no photographs.</p>
${definitionList([
  ['Number of this box', context.store.identity.nodeId],
  ['Number of its store', context.store.identity.storeEpoch],
  ['Key that it signs drives with', context.bundleKey.kid],
])}
<p class="actions"><a class="button line" href="/edge/diagnostics">Save the diagnostics</a></p></details>
<p class="actions"><a class="button line" href="/edge/trust">How a tablet comes to trust this box</a></p>`;
}

/** Summary in one line: what is safe, and what is still to do. */
function summary(senders: readonly EdgeSender[], { surveys, owed, oldestOwedAt }: ShoreState): string {
  const here = senders.filter(({ connected }) => connected).length;
  const photographs = surveys.reduce((sum, one) => sum + one.photographs - one.ashore, 0);
  const tablets =
    here === 0
      ? 'No tablet is connected.'
      : `${here === 1 ? 'One tablet is' : `${formatNumber(here)} tablets are`} connected.`;
  if (surveys.length === 0 && owed === 0) return `${tablets} No survey has come yet.`;
  const holds = `It holds ${formatCount(surveys.length, 'survey')}`;
  if (owed === 0 || oldestOwedAt === null) return `${tablets} ${holds}; all of it is ashore.`;
  return `${tablets} ${holds} and owes the shore ${photographs === 0 ? formatCount(owed, 'record') : formatCount(photographs, 'photograph')}.`;
}

function tabletsTable(senders: readonly EdgeSender[], now: number): Html {
  if (senders.length === 0) return html`<p class="small">No tablet is paired yet. Use the code above.</p>`;
  const rows = senders.map(({ name, person, connected, seenAt, owed, survey, rate }) => {
    const still =
      owed === null
        ? 'not reported yet'
        : owed.photographs === 0
          ? owed.records === 0
            ? 'nothing'
            : formatCount(owed.records, 'record')
          : `${formatCount(owed.photographs, 'photograph')}, ${formatBytes(owed.bytes)}`;
    const seen = connected
      ? `connected${rate === null ? '' : `, ${formatBytes(rate)} a second`}`
      : `last seen ${formatAge(Math.max(0, now - Date.parse(seenAt)))} ago`;
    return [
      html`<b>${name}</b>${person === null ? '' : html`<br><span class="small">${person}</span>`}`,
      seen,
      survey?.name ?? 'none',
      still,
    ];
  });
  return table('tablets', [{ head: 'Tablet' }, { head: 'Now' }, { head: 'Survey' }, { head: 'Still to come' }], rows);
}

async function pairingSection(context: EdgeContext, origin: string): Promise<Html> {
  const code = context.pairing.mode === 'open' ? '' : context.pairing.code();
  const picture = await QRCode.toString(pairingLink(origin, code), {
    type: 'svg',
    margin: 1,
    errorCorrectionLevel: 'M',
  });
  return html`<div class="side"><figure role="img" aria-label="Code to scan with the tablet’s camera">${trustedHtml(picture)}</figure><div>
<p>Point the tablet’s camera here, or open</p><p class="address">${origin.replace(/^https:\/\//, '')}</p>
${code === '' ? html`<p>It needs no code.</p>` : html`<p>and type the code</p><p class="code">${formatPairingCode(code)}</p>`}
<p class="small">Does its browser warn? <a href="/edge/trust">Let it trust this box</a> first.</p>
${code === '' ? '' : html`<form method="post" action="/edge/console" class="actions"><input type="hidden" name="form" value="${csrfToken(context)}"><button class="button line" name="action" value="new-code">Make a new code</button></form>`}</div></div>`;
}
