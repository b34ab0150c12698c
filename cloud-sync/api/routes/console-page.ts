import { ageWords } from '../../../src/domain/position-words';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import { escapeHtml, page } from '../../../src/server/page';
import type { BoxKey, ImportRow } from '../services/box-keys';
import type { Quarantined } from '../store/quarantine';

const DAY_MS = 86_400_000;
/** A box is worth a word when nothing was heard of it for this long. */
const SILENT_MS = 7 * DAY_MS;
const OF = 'Great Reef Census, ashore';

/** What the fleet console shows. */
export interface FleetPage {
  readonly now: number;
  readonly email: string;
  readonly boxes: readonly FleetBox[];
  readonly registered: readonly { readonly id: string; readonly name: string; readonly createdAt: string }[];
  readonly keys: readonly BoxKey[];
  readonly quarantine: readonly Quarantined[];
  readonly imports: readonly ImportRow[];
  readonly recipient: string;
}

/** The fleet: boxes with their warnings, what is held for a person, bundles, the ways to register and to revoke. */
export function fleetPage(fleet: FleetPage): string {
  const owing = fleet.boxes.reduce((sum, { report }) => sum + (report?.owed.images ?? 0), 0);
  const lead = fleet.boxes.length === 0 ? 'No box has called yet.' : `${counted(fleet.boxes.length, 'box', 'boxes')}; ${owing === 0 ? 'none owes a photograph' : `${counted(owing, 'photograph')} still aboard`}. ${fleet.quarantine.length === 0 ? 'Nothing waits for a person.' : `${counted(fleet.quarantine.length, 'record')} held for a person.`}`;
  return page(
    'The fleet',
    `<p class="lead">${lead}</p>
<section class="card" aria-labelledby="boxes"><h2 id="boxes">Boxes</h2>${boxesTable(fleet)}</section>
<section class="card" aria-labelledby="held"><h2 id="held">Held for a person</h2>${quarantineTable(fleet.quarantine)}</section>
<div class="pair">
<section class="card" aria-labelledby="register"><h2 id="register">Register a box</h2>
<form method="post" action="/console/boxes"><label for="name">Its name, as people say it</label><input id="name" name="name" required maxlength="80" autocomplete="off">
<p class="actions"><button class="button">Make its token</button></p></form>${registeredList(fleet.registered)}</section>
<section class="card" aria-labelledby="import"><h2 id="import">Import a sealed drive</h2>
<form method="post" action="/console/import" enctype="multipart/form-data"><label for="confirm">The box’s key, if it is asked for</label><input id="confirm" name="confirm" maxlength="100" autocomplete="off"><label for="bundle">The bundle (a file that ends in .reef)</label><input id="bundle" name="bundle" type="file" required>
<p class="actions"><button class="button">Import</button></p></form>
<p class="small">Boxes seal to this key, which their bridges bring: <span class="mono">${escapeHtml(fleet.recipient)}</span></p></section>
</div>
<section class="card" aria-labelledby="imports"><h2 id="imports">Imported</h2>${importsTable(fleet.imports)}</section>
<form method="post" action="/console/sign-out" class="actions"><a class="button line" href="/console">Look again</a><button class="button line">Sign out ${escapeHtml(fleet.email)}</button></form>`,
    OF,
  );
}

function boxesTable({ boxes, keys, now }: FleetPage): string {
  if (boxes.length === 0) return '<p class="small">Register one below; its bridge calls with the token.</p>';
  const rows = boxes.map((box) => {
    const { report } = box;
    const warnings = [...box.warnings, ...moreWarnings(box, keys, now)];
    const owed = report === null ? 'not said' : report.owed.ops === 0 ? 'nothing' : `${counted(report.owed.images, 'photograph')}, ${counted(report.owed.ops, 'record')}`;
    const clock = warnings.length === 0 ? '' : `<ul>${warnings.map((words) => `<li class="wait">${escapeHtml(words)}</li>`).join('')}</ul>`;
    const revoke = box.revokedAt !== null ? '' : `<form method="post" action="/console/boxes/revoke"><input type="hidden" name="node" value="${escapeHtml(box.node)}"><button class="button line">Revoke</button></form>`;
    return `<tr><td><b>${escapeHtml(box.name === '' ? 'Without a name' : box.name)}</b><br><span class="small mono">${escapeHtml(box.node)}</span></td><td>${box.lastSeenAt === null ? 'never' : `${ageWords(Math.max(0, now - Date.parse(box.lastSeenAt)))} ago`}</td><td>${owed}</td><td>${escapeHtml(report?.version ?? '')}</td><td>${warnings.length === 0 ? 'nothing to do' : clock}</td><td>${revoke}</td></tr>`;
  });
  return table('boxes', ['Box', 'Last seen', 'Still aboard', 'Version', 'To look at', ''], rows);
}

function moreWarnings({ node, lastSeenAt, revokedAt, warnings }: FleetBox, keys: readonly BoxKey[], now: number): string[] {
  const silent = lastSeenAt === null ? 0 : now - Date.parse(lastSeenAt);
  const own = keys.filter((key) => key.node === node);
  return [
    ...(revokedAt === null && silent > SILENT_MS && !warnings.some((words) => words.startsWith('Not heard of')) ? [`Not seen for ${Math.floor(silent / DAY_MS)} days.`] : []),
    ...(own.length > 1 ? [`Its key for bundles changed ${ageWords(Math.max(0, now - (own.at(-1)?.addedAt.getTime() ?? now)))} ago.`] : []),
  ];
}

function quarantineTable(items: readonly Quarantined[]): string {
  if (items.length === 0) return '<p class="small">Nothing: every record that came could be taken.</p>';
  const rows = items.map(({ op, reason, storedAt, broughtBy }) => {
    const release = `<form method="post" action="/console/quarantine"><input type="hidden" name="opId" value="${escapeHtml(op.opId)}"><button class="button line">Release</button></form>`;
    const from = broughtBy.node === null ? (broughtBy.device === null ? '' : `tablet ${broughtBy.device}`) : `box ${broughtBy.node}`;
    return `<tr><td><b>${escapeHtml(op.kind)}</b><br><span class="small mono">${escapeHtml(op.docId)}</span></td><td>${escapeHtml(reason)}</td><td>${escapeHtml(`${storedAt.slice(0, 16).replace('T', ' ')} UTC`)}<br><span class="small mono">${escapeHtml(from)}</span></td><td>${release}</td></tr>`;
  });
  return `<p class="small">These are kept and shown to nobody. Released, a record counts like any other, and whoever sent it gets a new receipt.</p>${table('held', ['Record', 'Why', 'Came', ''], rows)}`;
}

function importsTable(imports: readonly ImportRow[]): string {
  if (imports.length === 0) return '<p class="small">No drive has come yet.</p>';
  const rows = imports.map(({ id, name, node, importedAt, fromSeq, toSeq, done }) => `<tr><td><b>${escapeHtml(name)}</b><br><span class="small mono">${escapeHtml(node)}</span></td><td>${importedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</td><td>${fromSeq + 1} to ${toSeq}</td><td>${doneWords(done)}</td><td><a class="button line" href="/console/receipts/${escapeHtml(id)}">Receipts</a></td></tr>`);
  return table('imports', ['Box', 'When', 'Entries', 'What came of it', 'To carry back'], rows);
}

function registeredList(registered: FleetPage['registered']): string {
  if (registered.length === 0) return '';
  return `<p class="small">Registered, and not heard of yet:</p><ul>${registered.map(({ name, createdAt }) => `<li>${escapeHtml(name)} <span class="small">(${escapeHtml(createdAt.slice(0, 10))})</span></li>`).join('')}</ul>`;
}

/** What came of an import, in one line. */
export function doneWords({ receipted, refused, waiting, failed, newBlobs }: ImportRow['done']): string {
  return [
    `${counted(receipted, 'record')} with a receipt`,
    `${counted(newBlobs, 'new photograph')}`,
    ...(refused === 0 ? [] : [`${refused} held for a person`]),
    ...(waiting === 0 ? [] : [`${waiting} waiting for their bytes`]),
    ...(failed === 0 ? [] : [`${failed} not taken`]),
  ].join(', ');
}

/** The sign-in: first the address, then the code that was mailed to it. */
export function signInPage({ email, wrong }: { readonly email: string | null; readonly wrong: string | null }): string {
  const note = wrong === null ? '' : `<p class="wait" role="alert">${escapeHtml(wrong)}</p>`;
  const form =
    email === null
      ? '<label for="email">Your mail address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="email"><p class="actions"><button class="button">Mail me a code</button></p>'
      : `<p>A code is on its way to <b>${escapeHtml(email)}</b>.</p><input type="hidden" name="email" value="${escapeHtml(email)}"><label for="code">The code</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric"><p class="actions"><button class="button">Sign in</button><a class="button line" href="/console">Another address</a></p>`;
  return page('Sign in to the fleet console', `<p class="lead">For the people who run the census.</p>${note}<section class="card"><form method="post" action="/console/sign-in">${form}</form></section>`, OF);
}

/** A page with one word and the way back. @param body HTML */
export function notePage(title: string, body: string): string {
  return page(title, `<section class="card">${body}<p class="actions"><a class="button" href="/console">Back to the fleet</a></p></section>`, OF);
}

/** Asks before a box is shut out. */
export function revokePage(node: string, name: string): string {
  return page(
    `Revoke ${name}`,
    `<section class="card"><p>Its token stops working at once: its bridge brings nothing more, and its bundles need a person. What it holds stays aboard, and nothing ashore is deleted. Registered again, it goes on where it was.</p>
<form method="post" action="/console/boxes/revoke" class="actions"><input type="hidden" name="node" value="${escapeHtml(node)}"><input type="hidden" name="sure" value="yes"><button class="button">Revoke it</button><a class="button line" href="/console">Leave it as it is</a></form></section>`,
    OF,
  );
}

function table(labelledBy: string, heads: readonly string[], rows: readonly string[]): string {
  return `<div class="scroll" tabindex="0" role="group" aria-labelledby="${labelledBy}"><table><thead><tr>${heads.map((head) => (head === '' ? '<td></td>' : `<th scope="col">${head}</th>`)).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}
