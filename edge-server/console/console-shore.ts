import { formatBytes } from '../../src/base/format-bytes';
import { formatCount, pluralize } from '../../src/base/plural';
import type { BridgeReport } from '../../src/protocol/cloud-http';
import { formatAge } from '../../src/domain/position/format-position';
import { formatDay } from '../../src/domain/survey/day';
import type { EdgeContext } from '../context';
import type { ShoreState } from '../reads/shore-statistics';
import { bridgeReport, bridgeState } from '../bridge/bridge-routes';
import { csrfToken } from './console-forms';
import { clockDrifts, formatDrift, REPORT_STALE_MS } from './console-alerts';
import { html, type Html, type HtmlValue } from '../../src/server/pages/html';
import { definitionList, formatMoment, formatNumber, table } from '../../src/server/pages/page-parts';

const STATE_TEXTS: Readonly<Record<BridgeReport['state'], string>> = {
  sending: 'Sending to shore',
  idle: 'All that can go is ashore',
  paused: 'Paused',
  'no-link': 'No link to shore',
  refused: 'The cloud refuses this box',
};
/** Drift from which the clock is shown as wrong, ms. */
const DRIFT_SHOWN_MS = 60_000;

export function shoreSection(context: EdgeContext, shore: ShoreState): Html {
  const { paused, verifyRequestedAt } = bridgeState(context);
  const report = bridgeReport(context);
  const age = report === null ? NaN : Math.max(0, context.clock() - Date.parse(report.at));
  return html`<p class="figure">${headlineText(report, paused, age)}</p>
<p>${statusText(report, paused, age)}</p>
${
  report === null
    ? ''
    : definitionList([
        ['Last bridge report', Number.isNaN(age) ? report.at : `${formatAge(age)} ago`],
        [
          'Sent today',
          `${report.sentToday === 0 ? 'nothing' : formatBytes(report.sentToday)}${report.dailyLimit === null ? '' : `; ${formatBytes(report.dailyLimit)} a day may go`}`,
        ],
        [
          'All ashore',
          shore.owed === 0
            ? 'now'
            : report.doneAt === null || paused || age > REPORT_STALE_MS
              ? 'cannot be said yet'
              : `about ${formatMoment(report.doneAt)}`,
        ],
        ['Compared with the cloud', verificationText(report, verifyRequestedAt)],
      ])
}
${revokedBoxes(context)}
<form method="post" action="/edge/console" class="actions"><input type="hidden" name="form" value="${csrfToken(context)}">
${paused ? html`<button class="button" name="action" value="resume">Resume</button>` : html`<button class="button line" name="action" value="pause">Pause</button>`}
<button class="button line" name="action" value="verify">Compare with the cloud</button></form>
<p class="small">Pausing stops the way to shore alone: tablets go on sending to the box. Comparing asks the cloud for every photograph that it gave a receipt for.</p>`;
}

/** Other boxes revoked ashore, for information: nothing here depends on another box. */
function revokedBoxes({ reference, store }: EdgeContext): HtmlValue {
  const others = [...reference.revocations().boxes].filter((node) => node !== store.identity.nodeId);
  return others.length === 0 ? '' : definitionList([['Other boxes that were revoked ashore', others.join(', ')]]);
}

function headlineText(report: BridgeReport | null, paused: boolean, age: number): string {
  if (paused) return 'Paused here';
  if (report === null) return 'No bridge has connected yet';
  return age > REPORT_STALE_MS ? 'Nothing heard of the bridge' : STATE_TEXTS[report.state];
}

function statusText(report: BridgeReport | null, paused: boolean, age: number): string {
  if (paused) return 'Nothing goes ashore until someone presses Resume. Everything on the box is safe.';
  if (report !== null) return age > REPORT_STALE_MS ? `Last report: ${report.words}` : report.words;
  return 'The bridge sends the box’s data to the cloud. It runs on the vessel or on a staff laptop (npm run bridge). Until it connects, everything waits here, safe.';
}

function verificationText({ verified }: BridgeReport, requestedAt: string | null): string {
  if (requestedAt !== null && (verified === null || verified.at < requestedAt))
    return `asked for ${formatMoment(requestedAt)}; at the next link`;
  if (verified === null) return 'never';
  const { at, asked, missing } = verified;
  if (asked === 0) return `${formatMoment(at)}: no photograph is ashore yet`;
  return missing === 0
    ? `${formatMoment(at)}: ${asked === 1 ? 'the one photograph is' : `all ${formatNumber(asked)} photographs are`} there`
    : `${formatMoment(at)}: ${formatNumber(missing)} of ${formatCount(asked, 'photograph')} ${pluralize(missing, 'is', 'are')} missing there and sent again`;
}

export function owedSection(context: EdgeContext, shore: ShoreState): Html {
  const photographs = shore.surveys.reduce((sum, one) => sum + one.photographs - one.ashore, 0);
  const sealKey = context.reference.sealKey();
  if (shore.owed === 0 && photographs === 0)
    return html`<p class="figure">Nothing</p><p>${shore.surveys.length === 0 ? 'Nothing is aboard yet.' : 'Everything aboard has the cloud’s receipt.'}</p>`;
  const rows: [string, string][] = [
    ['Records, of photographs, surveys and people', formatNumber(shore.owed)],
    ['In all', formatBytes(shore.owedBytes)],
    ...(shore.refused === 0
      ? []
      : [['Held ashore for a person to look at', formatNumber(shore.refused)] as [string, string]]),
    [
      'Oldest',
      shore.oldestOwedAt === null
        ? 'nothing waits'
        : `${formatAge(Math.max(0, context.clock() - Date.parse(shore.oldestOwedAt)))} old`,
    ],
  ];
  const seal =
    sealKey === undefined
      ? html`<p class="small">No link for long? What is owed can be carried ashore on a drive, sealed so that only the cloud can open it. The key for that comes with the bridge, at its first link.</p>`
      : html`<p class="actions"><a class="button line" href="/edge/export">Seal onto a drive</a></p><p class="small">One file that only the cloud can open, to be carried ashore. For more than a few gigabytes, at the box itself: <span class="mono">npm run edge -- export</span>. Staff ashore may ask for the key that signs it: <span class="mono">${context.bundleKey.kid}</span>.</p>`;
  return html`<p class="figure">${formatCount(photographs, 'photograph')}</p>
${definitionList(rows)}
${seal}`;
}

export function surveysTable({ surveys, others }: ShoreState): Html {
  if (surveys.length === 0) return html`<p class="small">None yet. They come with the first tablet that sends.</p>`;
  const rows = surveys.map(({ name, date, photographs, sent, ashore, freed, owed, refused }) => {
    const state =
      owed === 0
        ? 'nothing'
        : `${formatCount(owed, 'record')}${refused === 0 ? '' : `, ${formatNumber(refused)} of them held ashore`}`;
    return [
      html`<b>${name}</b><br><span class="small">${date === '' ? 'without a day' : formatDay(date)}</span>`,
      formatNumber(photographs),
      formatNumber(sent),
      freed === 0
        ? formatNumber(ashore)
        : html`${formatNumber(ashore)}<br><span class="small">${formatNumber(freed)} freed here</span>`,
      state,
    ];
  });
  const rest =
    others === 0 ? '' : html`<p class="small">Besides, still owed: ${formatCount(others, 'profile')} of people.</p>`;
  const columns = [
    { head: 'Survey' },
    { head: 'Photographs', kind: 'count' },
    { head: 'Sent', kind: 'count' },
    { head: 'With the cloud’s receipt', kind: 'count' },
    { head: 'Still owed', kind: 'count' },
  ] as const;
  return html`${table('surveys', columns, rows)}${rest}`;
}

export function clockRows(context: EdgeContext): [string, string][] {
  return [
    ['Clock', formatMoment(new Date(context.clock()).toISOString())],
    ...clockDrifts(context).map((drift): [string, string] => [
      `Clock against ${drift.reference}`,
      Math.abs(drift.ms) < DRIFT_SHOWN_MS ? 'right' : formatDrift(drift),
    ]),
  ];
}
