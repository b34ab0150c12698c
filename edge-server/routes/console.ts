import type { FastifyInstance } from 'fastify';
import QRCode from 'qrcode';
import { codeWords, pairingLink } from '../../src/domain/pairing/pairing-link';
import { ageWords, positionWords } from '../../src/domain/position-words';
import type { EdgeSender } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { hostsOf, slugOf } from '../services/origins';
import { isLoopback } from '../../src/server/environment';
import { needsTls } from '../settings';
import { escapeHtml, page } from '../../src/server/page';
import { diagnostics } from '../services/diagnostics';
import type { ShoreState } from '../services/shore-statistics';
import { shoreState } from '../services/shore-statistics';
import { consoleForms } from './console-forms';
import { clockRows, owedSection, shoreSection, surveysTable } from './console-shore';

/**
 * `GET /edge/console`: what crew and staff need to see of the box: how to pair, tablets, what is aboard, the disk, the way to shore;
 * `GET /edge/diagnostics`: what helps to find a fault, without personal data.
 */
export function consoleRoutes(app: FastifyInstance, context: EdgeContext): void {
  consoleForms(app, context);

  app.get('/edge/diagnostics', async (_request, reply) => {
    const name = `${slugOf(context.settings.name)}-${new Date(context.clock()).toISOString().slice(0, 10)}-diagnostics.json`;
    return reply.type('application/json; charset=utf-8').header('Cache-Control', 'no-store').header('Content-Disposition', `attachment; filename="${name}"`).send(`${JSON.stringify(await diagnostics(context), undefined, 2)}\n`);
  });

  app.get('/edge/console', async (request, reply) => reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(await consolePage(context, originOf(context, request.host))));
}

/**
 * Where tablets reach this box: as it is told, else as this page was reached, where that is one of its own names and not
 * this very machine's, else by its name on the local network.
 *
 * @param host of the request, with its port; a page elsewhere may say anything here, so it is looked up
 */
function originOf({ settings, origins }: EdgeContext, host: string): string {
  if (settings.publicUrl !== null) return settings.publicUrl.origin;
  const scheme = needsTls(settings) ? 'https' : 'http';
  const asked = `${scheme}://${host}`;
  const port = URL.canParse(asked) ? new URL(asked).port : '';
  const name = URL.canParse(asked) ? new URL(asked).hostname.replace(/^\[|\]$/g, '') : '';
  if (name !== '' && !isLoopback(name) && origins.allows(new URL(asked).origin)) return new URL(asked).origin;
  const local = hostsOf(settings).find((each) => each.endsWith('.local'));
  return local === undefined || isLoopback(settings.host) ? asked : `${scheme}://${local}${port === '' ? '' : `:${port}`}`;
}

async function consolePage(context: EdgeContext, origin: string): Promise<string> {
  const { totals, owedBytes, disk } = await context.queries.meta();
  const senders = (await context.queries.run('senders', undefined, 'admin')) as readonly EdgeSender[];
  const sessions = context.state.countSessions();
  const shore = shoreState(context.record.database, owedBytes ?? 0);
  const isFull = disk.free < context.settings.minFreeBytes;
  const days = disk.daysUntilFull;
  const gps = context.queries.gps();
  const rows: [string, string][] = [
    ['Surveys', totals.surveys.toLocaleString('en')],
    ['Photographs', `${totals.images.toLocaleString('en')}, ${gigabytes(totals.bytes)}`],
    ['Analyses', totals.analyses.toLocaleString('en')],
    ['People', totals.people.toLocaleString('en')],
    ['Position', gps === null ? 'none' : `${positionWords(gps.lat, gps.lng) ?? 'none'}, ${ageWords(gps.age)} old`],
    ['Sessions', `${sessions.all}, ${sessions.people} with a person signed in`],
    ...clockRows(context),
    ['Version', context.version],
    ['Box', context.store.identity.nodeId],
    ['Store', context.store.identity.storeEpoch],
  ];
  return page(
    `${context.settings.name} is working`,
    `<p class="lead">${summary(senders, shore)}</p>
${isFull ? '<p class="wait">The disk is nearly full: photographs are refused and wait on the tablets. Free some room, or bring another disk.</p>' : ''}
<div class="pair">
<section class="card" aria-labelledby="pair"><h2 id="pair">Pair a tablet</h2>${await pairingSection(context, origin)}</section>
<section class="card" aria-labelledby="disk"><h2 id="disk">Disk</h2>
<p class="address">${days === undefined || days === null ? `${gigabytes(disk.free)} free` : `${Math.floor(days).toLocaleString('en')} days until it is full`}</p>
<meter min="0" max="${disk.size}" high="${Math.round(0.9 * disk.size)}" optimum="0" value="${disk.size - disk.free}" aria-label="Disk used">${gigabytes(disk.size - disk.free)}</meter>
<p class="small">${gigabytes(disk.size - disk.free)} of ${gigabytes(disk.size)} used.</p></section>
</div>
<div class="pair">
<section class="card" aria-labelledby="shore"><h2 id="shore">Way to the shore</h2>${shoreSection(context, shore)}</section>
<section class="card" aria-labelledby="owed"><h2 id="owed">Owed to the shore</h2>${owedSection(context, shore)}</section>
</div>
<section class="card" aria-labelledby="surveys"><h2 id="surveys">Surveys</h2>${surveysTable(shore)}</section>
<section class="card" aria-labelledby="tablets"><h2 id="tablets">Tablets</h2>${tabletsTable(senders)}</section>
<section class="card" aria-labelledby="aboard"><h2 id="aboard">Aboard</h2>
<dl>${rows.map(([what, value]) => `<div><dt>${what}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl></section>
<p class="actions"><a class="button line" href="/edge/console">Look again</a><a class="button line" href="/edge/trust">How a tablet comes to trust this box</a><a class="button line" href="/edge/diagnostics">Diagnostics, without personal data</a></p>`,
    context.settings.name,
  );
}

/** What is safe, and what is still to do, in one line. */
function summary(senders: readonly EdgeSender[], { surveys, owed, oldestOwedAt }: ShoreState): string {
  const here = senders.filter(({ connected }) => connected).length;
  const photographs = surveys.reduce((sum, one) => sum + one.photographs - one.ashore, 0);
  const tablets = here === 0 ? 'No tablet is connected.' : `${here === 1 ? 'One tablet is' : `${here} tablets are`} connected.`;
  const holds = `It holds ${counted(surveys.length, 'survey')}`;
  if (owed === 0 || oldestOwedAt === null) return `${tablets} ${holds}; all of it is ashore.`;
  return `${tablets} ${holds} and owes the shore ${photographs === 0 ? counted(owed, 'record') : counted(photographs, 'photograph')}.`;
}

function counted(n: number, what: string): string {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
}

function tabletsTable(senders: readonly EdgeSender[]): string {
  if (senders.length === 0) return '<p class="small">None is paired yet.</p>';
  const rows = senders.map(({ name, person, deviceId, connected, seenAt, owed, survey }) => {
    const who = `<b>${escapeHtml(person === null ? name : `${name}, ${person}`)}</b><br><span class="small mono">${escapeHtml(deviceId)}</span>`;
    const still = owed === null ? 'not said' : owed.photographs === 0 ? (owed.records === 0 ? 'all here' : `${owed.records} records`) : `${owed.photographs.toLocaleString('en')} photographs`;
    return `<tr><td>${who}</td><td>${connected ? 'connected' : `last seen ${escapeHtml(seenAt.replace('T', ' ').slice(0, 16))} UTC`}</td><td>${survey === null ? '' : escapeHtml(survey.name)}</td><td>${still}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0" role="group" aria-labelledby="tablets"><table><thead><tr><th scope="col">Name</th><th scope="col">Now</th><th scope="col">Survey</th><th scope="col">Still to come</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

async function pairingSection(context: EdgeContext, origin: string): Promise<string> {
  const code = context.pairing.mode === 'open' ? '' : context.pairing.code();
  const picture = await QRCode.toString(pairingLink(origin, code), { type: 'svg', margin: 1, errorCorrectionLevel: 'M' });
  return `<div class="side"><figure>${picture}</figure><div>
<p>Point the tablet’s camera here, or open</p><p class="address">${escapeHtml(origin.replace(/^https:\/\//, ''))}</p>
${code === '' ? '<p>It needs no code.</p>' : `<p>and type the code</p><p class="code">${escapeHtml(codeWords(code))}</p>`}
<p class="small">Does its browser warn? <a href="/edge/trust">Let it trust this box</a> first.</p></div></div>`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0)} GB`;
}
