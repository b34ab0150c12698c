import { formatBytes } from '../../../src/base/format-bytes';
import { formatCount } from '../../../src/base/plural';
import { formatAge } from '../../../src/domain/position/format-position';
import type { Theme } from '../../../src/domain/theme';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import { html, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page, type PageOptions } from '../../../src/server/pages/page';
import { formatMoment, note, notes, formatNumber, table } from '../../../src/server/pages/page-parts';
import type { BoxKey, ImportRow } from '../bundles/box-keys';
import type { HeldRecords } from './quarantine-section';
import { quarantineSection } from './quarantine-section';

const DAY_MS = 86_400_000;
/** Silence after which a box gets a warning. */
const SILENT_MS = 7 * DAY_MS;

/** Warnings that are not urgent. */
const LOW_PRIORITY = /^(Runs version|Nothing moves)/;

export interface FleetPage {
  readonly now: number;
  readonly email: string;
  readonly theme: Theme;
  readonly boxes: readonly FleetBox[];
  readonly registered: readonly { readonly id: string; readonly name: string; readonly createdAt: string }[];
  readonly keys: readonly BoxKey[];
  readonly held: HeldRecords;
  readonly imports: readonly ImportRow[];
  readonly recipient: string;
  readonly aboard: ReadonlyMap<string, number>;
  /** Photographs that broke the process that made their sizes. */
  readonly brokenPictures: number;
  /** Open groups of error reports. */
  readonly openErrors: number;
}

export function fleetPage(fleet: FleetPage): Html {
  return page(
    'The fleet',
    html`<div class="first"><p class="lead">${leadText(fleet)} As of ${formatMoment(new Date(fleet.now).toISOString())}.</p><a class="button line" href="/console">Refresh</a></div>
<section class="card" aria-labelledby="boxes"><h2 id="boxes">Boxes</h2>${boxesTable(fleet)}</section>
<section class="card" aria-labelledby="held"><h2 id="held">On hold</h2>${quarantineSection(fleet)}</section>
${brokenPicturesSection(fleet)}<section class="card" aria-labelledby="errors"><h2 id="errors">Errors of apps</h2><p>${errorsText(fleet.openErrors)}</p><p class="actions"><a class="button line" href="/console/errors">See the reports</a></p></section>
<section class="card" aria-labelledby="census"><h2 id="census">Datasets, map and figures</h2><p>Rounds of the census by region, what was imported for their maps, and how experts, model and citizens compare.</p><p class="actions"><a class="button line" href="/console/datasets">See the datasets</a><a class="button line" href="/console/figures">See the figures</a></p></section>
<div class="pair">
<section class="card" aria-labelledby="register"><h2 id="register">Register a box</h2>
<p class="small">A box brings nothing ashore until staff gave it a token. Make it here and set it where its bridge runs.</p>
<form method="post" action="/console/boxes"><label for="name">Its name, as people say it</label><input id="name" name="name" required maxlength="80" autocomplete="off">
<p class="actions"><button class="button">Make its token</button></p></form>${registeredList(fleet.registered, fleet.now)}</section>
<section class="card" aria-labelledby="import"><h2 id="import">Import a sealed drive</h2>
<p class="small">A drive brings what a box owes where there is no link. Importing the same file twice changes nothing.</p>
<form method="post" action="/console/import" enctype="multipart/form-data"><label for="bundle">The file, which ends in .reef</label><input id="bundle" name="bundle" type="file" required>
<label for="confirm">The box’s key, only if you were asked for it</label><input id="confirm" name="confirm" maxlength="100" autocomplete="off">
<p class="actions"><button class="button">Import</button></p></form>
<details><summary>The key that boxes seal to</summary><p>Bridges deliver it to the boxes automatically. By hand, at a box: <span class="mono">npm run edge -- export &lt;folder&gt; --seal-key ${fleet.recipient}</span></p></details></section>
</div>
<section class="card" aria-labelledby="imports"><h2 id="imports">Imported drives</h2>${importsTable(fleet.imports)}</section>
<form method="post" action="/console/sign-out" class="actions"><button class="button line">Sign out ${fleet.email}</button></form>`,
    pageLook(fleet.theme, '/console'),
  );
}

function errorsText(open: number): string {
  return open === 0
    ? 'No open reports. Apps report errors when they reach the shore.'
    : `${formatCount(open, 'error')} reported. Apps report when they reach the shore.`;
}

function brokenPicturesSection({ brokenPictures }: FleetPage): HtmlValue {
  if (brokenPictures === 0) return '';
  return html`<section class="card" aria-labelledby="pictures"><h2 id="pictures">Photographs without smaller sizes</h2>
<p>Making the sizes of ${formatCount(brokenPictures, 'photograph')} took too much memory or time, or was interrupted. Their bytes are safe and stored unchanged.</p>
<form method="post" action="/console/pictures" class="actions"><button class="button line">Try again</button></form></section>
`;
}

function pageLook(theme: Theme, at?: string): PageOptions {
  return { of: 'Great Reef Census, ashore', theme, ...(at === undefined ? {} : { at }) };
}

function leadText({ boxes, held: { total } }: FleetPage): string {
  const held = total === 0 ? 'Nothing is held for a person.' : `${formatCount(total, 'record')} held for a person.`;
  if (boxes.length === 0) return `No box has called yet. ${held}`;
  const owing = boxes.reduce((sum, { report }) => sum + (report?.owed.images ?? 0), 0);
  return `${formatCount(boxes.length, 'box', 'boxes')}; ${owing === 0 ? 'by their last reports, none has photographs to send' : `${formatCount(owing, 'photograph')} still aboard`}. ${held}`;
}

function boxesTable({ boxes, keys, now, aboard }: FleetPage): Html {
  if (boxes.length === 0) return html`<p class="small">Register one below; its bridge calls with the token.</p>`;
  const names = new Map<string, number>();
  for (const { name } of boxes) names.set(name, (names.get(name) ?? 0) + 1);
  // Sorts boxes with warnings first and revoked ones last.
  const ordered = boxes
    .map((box) => ({ box, warnings: [...box.warnings, ...extraWarnings(box, keys, now)] }))
    .sort((a, b) => sortRank(a) - sortRank(b));
  const rows = ordered.map(({ box, warnings }) => {
    const { report, node, name, lastSeenAt, revokedAt } = box;
    const title = html`<b>${name === '' ? 'Without a name' : name}</b>${name === '' || (names.get(name) ?? 0) > 1 ? html`<br><span class="small">number <span class="mono">${node}</span></span>` : ''}`;
    const seen = lastSeenAt === null ? 'never' : `${formatAge(Math.max(0, now - Date.parse(lastSeenAt)))} ago`;
    const well =
      warnings.length === 0
        ? 'nothing'
        : notes(warnings.map((words) => note(revokedAt !== null || LOW_PRIORITY.test(words) ? 'wait' : 'look', words)));
    const button =
      revokedAt !== null
        ? ''
        : html`<form method="post" action="/console/boxes/revoke"><input type="hidden" name="node" value="${node}"><button class="button line" aria-label="Revoke ${name === '' ? node : name}">Revoke</button></form>`;
    return [
      title,
      seen,
      [owedText(report), aboardLink(node, aboard.get(node) ?? 0)],
      diskText(report),
      report?.version ?? 'not reported',
      well,
      button,
    ];
  });
  return table(
    'boxes',
    [
      { head: 'Box' },
      { head: 'Last seen', kind: 'short' },
      { head: 'Still aboard' },
      { head: 'Disk', kind: 'short' },
      { head: 'Version' },
      { head: 'To check', kind: 'wide' },
      { head: '' },
    ],
    rows,
  );
}

function sortRank({ box, warnings }: { readonly box: FleetBox; readonly warnings: readonly string[] }): number {
  return box.revokedAt !== null ? 2 : warnings.length > 0 ? 0 : 1;
}

function owedText(report: FleetBox['report']): HtmlValue {
  if (report === null) return 'not reported yet';
  const { images, ops, bytes: size } = report.owed;
  if (ops === 0 && images === 0) return 'nothing';
  return images === 0
    ? formatCount(ops, 'record')
    : html`${formatCount(images, 'photograph')}, ${formatBytes(size)}<br><span class="small">${formatCount(ops, 'record')} in all</span>`;
}

function diskText(report: FleetBox['report']): string {
  if (report === null || report.disk === null || report.disk.size <= 0) return 'not reported';
  return `${formatNumber(Math.round((100 * report.disk.free) / report.disk.size))} % free`;
}

function aboardLink(node: string, count: number): HtmlValue {
  return count === 0
    ? ''
    : html`<br><a href="/console/aboard/${node}">See ${count === 1 ? 'the preview' : `${formatNumber(count)} previews`}</a>`;
}

function extraWarnings(
  { node, lastSeenAt, revokedAt, warnings }: FleetBox,
  keys: readonly BoxKey[],
  now: number,
): string[] {
  const silent = lastSeenAt === null ? 0 : now - Date.parse(lastSeenAt);
  const own = keys.filter((key) => key.node === node);
  return [
    ...(revokedAt === null && silent > SILENT_MS && !warnings.some((words) => words.startsWith('Not heard of'))
      ? [`Not seen for ${Math.floor(silent / DAY_MS)} days.`]
      : []),
    ...(own.length > 1
      ? [
          `The key that signs its drives changed ${formatAge(Math.max(0, now - (own.at(-1)?.addedAt.getTime() ?? now)))} ago. This happens when a box is set up again; if no one did that, ask the crew.`,
        ]
      : []),
  ];
}

function importsTable(imports: readonly ImportRow[]): Html {
  if (imports.length === 0) return html`<p class="small">No drive has come yet.</p>`;
  const rows = imports.map(({ id, name, importedAt, done }) => [
    html`<b>${name}</b>`,
    formatMoment(importedAt.toISOString()),
    importSummaryText(done),
    html`<a class="button line" href="/console/receipts/${id}" aria-label="Save the receipts for ${name}">Save the receipts</a>`,
  ]);
  return html`<p class="small">The receipts tell the box what is ashore: take them back with the drive, or let its bridge deliver them.</p>${table('imports', [{ head: 'Box' }, { head: 'When' }, { head: 'Result', kind: 'wide' }, { head: '' }], rows)}`;
}

function registeredList(registered: FleetPage['registered'], now: number): HtmlValue {
  if (registered.length === 0) return '';
  const rows = registered.map(({ id, name, createdAt }) => [
    html`<b>${name}</b>`,
    `${formatAge(Math.max(0, now - Date.parse(createdAt)))} ago`,
    html`<form method="post" action="/console/boxes/revoke"><input type="hidden" name="node" value="${id}"><button class="button line" aria-label="Withdraw the token of ${name}">Withdraw</button></form>`,
  ]);
  return html`<h3 id="waiting">Not heard of yet</h3>${table('waiting', [{ head: 'Box' }, { head: 'Registered' }, { head: '' }], rows)}`;
}

export function importSummaryText({ receipted, refused, waiting, failed, newBlobs }: ImportRow['done']): string {
  return [
    `${formatCount(receipted, 'record')} with a receipt`,
    formatCount(newBlobs, 'new photograph'),
    ...(refused === 0 ? [] : [`${formatNumber(refused)} held for a person`]),
    ...(waiting === 0 ? [] : [`${formatNumber(waiting)} waiting for their photographs`]),
    ...(failed === 0 ? [] : [`${formatNumber(failed)} not imported`]),
  ].join(', ');
}

export function signInPage({
  email,
  wrong,
  theme,
}: {
  readonly email: string | null;
  readonly wrong: string | null;
  readonly theme: Theme;
}): Html {
  const errorNote = wrong === null ? '' : note('look', html`<p>${wrong}</p>`, 'alert');
  const form =
    email === null
      ? html`<label for="email">Your mail address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="email"><p class="actions"><button class="button">Email me a code</button></p>`
      : html`<p>A code is on its way to <b>${email}</b>. It may take a minute; look among unwanted mail too.</p><input type="hidden" name="email" value="${email}"><label for="code">The six figures of the code</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric" autofocus><p class="actions"><button class="button">Sign in</button><a class="button line" href="/console">Another address or a new code</a></p>`;
  return page(
    'Sign in to the fleet console',
    html`<p class="lead">For the people who run the census. No password is needed.</p>${errorNote}<section class="card"><form method="post" action="/console/sign-in">${form}</form></section>`,
    pageLook(theme, '/console'),
  );
}

export function notePage(title: string, body: Html, theme: Theme): Html {
  return page(
    title,
    html`<section class="card">${body}<p class="actions"><a class="button" href="/console">Back to the fleet</a></p></section>`,
    pageLook(theme),
  );
}

export function revokePage(node: string, name: string, isUnused: boolean, theme: Theme): Html {
  const text = isUnused
    ? 'No box has used this token yet. After you withdraw it, it opens nothing; you can create another at any time.'
    : 'Its token stops working at once: its bridge can send nothing, and its drives need staff. Its data stays on the box, and nothing ashore is deleted. If you register it again, it continues where it stopped.';
  return page(
    isUnused ? `Withdraw the token of ${name}` : `Revoke ${name}`,
    html`<section class="card"><p>${text}</p>
<form method="post" action="/console/boxes/revoke" class="actions"><input type="hidden" name="node" value="${node}"><input type="hidden" name="sure" value="yes"><button class="button">${isUnused ? 'Withdraw it' : 'Revoke it'}</button><a class="button line" href="/console">Leave it as it is</a></form></section>`,
    pageLook(theme),
  );
}
