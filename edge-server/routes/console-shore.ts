import type { BridgeReport } from '../../src/protocol/cloud-http';
import { ageWords } from '../../src/domain/position-words';
import type { EdgeContext } from '../context';
import type { ShoreState } from '../services/shore-statistics';
import { bridgeReport, bridgeState } from './bridge';
import { formWord } from './console-forms';
import { escapeHtml } from '../../src/server/page';

const STATES: Readonly<Record<BridgeReport['state'], string>> = {
  sending: 'Sending to shore',
  idle: 'All that can go is ashore',
  paused: 'Paused',
  'no-link': 'No link to shore',
  refused: 'The cloud refuses this box',
};
/** A report this old says nothing of now, ms. */
const OLD_MS = 15 * 60_000;
/** A clock is called off from here on, ms. */
const OFF_MS = 60_000;

/** The card of the way to shore: what the bridge last said, in words, and its buttons. */
export function shoreSection(context: EdgeContext, shore: ShoreState): string {
  const { paused, verifyRequestedAt } = bridgeState(context);
  const report = bridgeReport(context);
  const age = report === null ? null : context.clock() - Date.parse(report.at);
  const head = paused ? 'Paused here' : report === null ? 'No bridge has come by yet' : age !== null && age > OLD_MS ? 'Nothing heard of the bridge' : STATES[report.state];
  const said = report === null ? 'The bridge runs beside the box (npm run bridge), or on a laptop of the staff. Until it comes, everything waits here, safe.' : `${report.words}`;
  return `<p class="address">${escapeHtml(head)}</p>
<p>${escapeHtml(said)}</p>
${report === null ? '' : `<dl>${[
    ['Last heard of', `${age === null || Number.isNaN(age) ? report.at : `${ageWords(Math.max(0, age))} ago`}`],
    ['Sent today', `${bytes(report.sentToday)}${report.dailyLimit === null ? '' : ` of ${bytes(report.dailyLimit)} a day`}`],
    ['All ashore', report.doneAt === null ? (shore.owed === 0 ? 'now' : 'nobody can say yet') : `about ${moment(report.doneAt)}`],
    ['Compared with the cloud', verifiedWords(report, verifyRequestedAt)],
  ].map(([what, value]) => `<div><dt>${what}</dt><dd>${escapeHtml(value ?? '')}</dd></div>`).join('')}</dl>`}
<form method="post" action="/edge/console" class="actions"><input type="hidden" name="form" value="${formWord(context)}">
${paused ? '<button class="button" name="action" value="resume">Resume</button>' : '<button class="button line" name="action" value="pause">Pause</button>'}
<button class="button line" name="action" value="verify">Compare with the cloud</button></form>
<p class="small">Pausing stops the way to shore alone: tablets go on sending to the box.</p>`;
}

function verifiedWords({ verified }: BridgeReport, requestedAt: string | null): string {
  if (requestedAt !== null && (verified === null || verified.at < requestedAt)) return `asked for ${moment(requestedAt)}; at the next link`;
  if (verified === null) return 'never';
  const { at, asked, missing } = verified;
  return missing === 0 ? `${moment(at)}: all ${number(asked)} photographs are there` : `${moment(at)}: ${number(missing)} of ${number(asked)} photographs are missing there; they are sent again`;
}

/** The card of what is owed, with the ways to take it off the box by hand. */
export function owedSection(context: EdgeContext, shore: ShoreState): string {
  const photographs = shore.surveys.reduce((sum, one) => sum + one.photographs - one.ashore, 0);
  const sealKey = context.reference.sealKey();
  const rows: [string, string][] = [
    ['Photographs', number(photographs)],
    ['Records', number(shore.owed)],
    ['In all', bytes(shore.owedBytes)],
    ...(shore.refused === 0 ? [] : [['Held ashore for a person to look at', number(shore.refused)] as [string, string]]),
    ['Oldest', shore.oldestOwedAt === null ? 'nothing waits' : `${ageWords(Math.max(0, context.clock() - Date.parse(shore.oldestOwedAt)))} old`],
  ];
  return `<dl>${rows.map(([what, value]) => `<div><dt>${what}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>
<p class="actions">${sealKey === undefined || shore.owed === 0 ? '' : '<a class="button line" href="/edge/export">Seal onto a drive</a>'}</p>
<p class="small">${
    sealKey === undefined
      ? 'A drive is sealed to the cloud’s key, which the bridge brings at its first link.'
      : `One file that only the cloud can open. Its key at this box: <span class="mono">${escapeHtml(context.bundleKey.kid)}</span>. For large ones: npm run edge -- export.`
  }</p>`;
}

/** What is ashore, survey by survey. */
export function surveysTable({ surveys, others }: ShoreState): string {
  if (surveys.length === 0) return '<p class="small">None yet.</p>';
  const rows = surveys.map(({ name, date, photographs, ashore, owed, refused }) => {
    const state = owed === 0 ? 'all ashore' : `${number(owed)} ${owed === 1 ? 'record' : 'records'}${refused === 0 ? '' : `, ${number(refused)} held ashore`}`;
    return `<tr><td><b>${escapeHtml(name)}</b><br><span class="small">${escapeHtml(date)}</span></td><td>${number(photographs)}</td><td>${number(ashore)}</td><td>${state}</td></tr>`;
  });
  const rest = others === 0 ? '' : `<p class="small">Besides: ${number(others)} ${others === 1 ? 'profile' : 'profiles'} of people.</p>`;
  return `<div class="scroll" tabindex="0" role="group" aria-labelledby="surveys"><table><thead><tr><th scope="col">Survey</th><th scope="col">Photographs</th><th scope="col">With the cloud’s receipt</th><th scope="col">Still owed</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>${rest}`;
}

/** The clock beside what knows better, in words. */
export function clockRows(context: EdgeContext): [string, string][] {
  const now = context.clock();
  const gps = context.queries.gps();
  const report = bridgeReport(context);
  const rows: [string, string][] = [['Clock', `${new Date(now).toISOString().replace('T', ' ').slice(0, 19)} UTC`]];
  if (gps !== null && gps.source !== 'track') rows.push(['Clock beside GPS', driftWords(Date.parse(gps.time) + gps.age - now)]);
  if (report !== null && report.clockDriftMs !== null) rows.push(['Clock beside the cloud', driftWords(report.clockDriftMs)]);
  return rows;
}

/** @param ahead of the other over the box, ms */
function driftWords(ahead: number): string {
  const off = Math.abs(ahead);
  if (off < OFF_MS) return 'right';
  return `${ageWords(off)} ${ahead > 0 ? 'behind' : 'ahead'}`;
}

function moment(at: string): string {
  return `${at.replace('T', ' ').slice(0, 16)} UTC`;
}

function number(n: number): string {
  return n.toLocaleString('en');
}

function bytes(n: number): string {
  return n < 1e9 ? `${(n / 1e6).toFixed(n < 1e7 ? 1 : 0)} MB` : `${(n / 1e9).toFixed(n < 1e10 ? 2 : 0)} GB`;
}
