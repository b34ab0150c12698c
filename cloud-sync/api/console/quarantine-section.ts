import { formatCount } from '../../../src/base/plural';
import { isObject } from '../../../src/domain/json';
import type { OpKind } from '../../../src/domain/op/op';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import { html, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { definitionList, formatMoment, formatNumber, table } from '../../../src/server/pages/page-parts';
import type { QuarantineGroup } from '../../../src/protocol/quarantine';
import type { QuarantinedOp } from '../intake/quarantine';
import { heldAddress } from './held-address';

/** Records that are shown one by one on the fleet's page; more are shown in groups. */
export const HELD_SHOWN_MAX = 25;
/** Limits for a shown record: fields, and characters of each. */
const FIELDS_MAX = 40;
const FIELD_LENGTH_MAX = 300;

export type BoxName = Pick<FleetBox, 'node' | 'name'>;

export const KINDS: Readonly<Record<OpKind, string>> = {
  profile: 'Person',
  survey: 'Survey',
  image: 'Photograph',
  analysis: 'Analysis',
};

/** Records on hold: each with its reason, its submitter and the release button; a flood in groups. */
export function quarantineSection({
  held: { items, groups, total, dismissed },
  boxes,
}: {
  readonly held: HeldRecords;
  readonly boxes: readonly BoxName[];
}): Html {
  const gone =
    dismissed === 0
      ? ''
      : html`<p class="small"><a href="/console/held?dismissed=true">${formatCount(dismissed, 'dismissed record')}</a></p>`;
  if (total === 0) return html`<p class="small">Nothing: every record was accepted.</p>${gone}`;
  const content =
    items.length === total
      ? html`${heldTable(items, boxes, releaseButton)}<p class="small"><a href="/console/held">Search them, or act on several</a></p>`
      : html`<form method="get" action="/console/held"><label for="search">Search in records and reasons</label><input id="search" name="q" maxlength="200"><p class="actions"><button class="button line">Search</button></p></form>${groupsTable(groups)}`;
  return html`<p class="small">The cloud could not accept these as they are. They are stored complete and hidden, and box and tablet keep their copies. Ask the sender for the cause. A record that you release is shown like any other, and its sender gets a new receipt.</p>${content}${gone}`;
}

/** Held records as the fleet's page shows them; `items` has all of them, or not if there are too many for the page. */
export interface HeldRecords {
  readonly items: readonly QuarantinedOp[];
  readonly groups: readonly QuarantineGroup[];
  readonly total: number;
  readonly dismissed: number;
}

const releaseButton = (opId: string, name: string): HtmlValue =>
  html`<form method="post" action="/console/quarantine"><input type="hidden" name="opId" value="${opId}"><button class="button line" aria-label="Release: ${name}">Release</button></form>`;

/** @param control what a row ends with, by id and name of its record */
export function heldTable(
  items: readonly QuarantinedOp[],
  boxes: readonly BoxName[],
  control: (opId: string, name: string) => HtmlValue,
): Html {
  const rows = items.map(({ op, reason, storedAt, broughtBy }) => {
    const name = recordName(op.body);
    const what = html`<b>${KINDS[op.kind]}${name === '' ? '' : ` ${name}`}</b><br><span class="small">number <span class="mono">${op.docId}</span></span>`;
    const why = html`<p>${reason === '' ? 'No reason was recorded.' : reasonText(reason)}</p><details><summary>Contents</summary>${definitionList(bodyFields(op.body))}</details>`;
    return [
      what,
      why,
      html`${formatMoment(storedAt)}<br><span class="small">${submitterText(broughtBy, boxes)}</span>`,
      control(op.opId, `${KINDS[op.kind]} ${name === '' ? op.docId : name}`),
    ];
  });
  return table(
    'held',
    [{ head: 'Record' }, { head: 'Why', kind: 'wide' }, { head: 'Received', kind: 'wide' }, { head: '' }],
    rows,
  );
}

function submitterText({ device, node }: QuarantinedOp['broughtBy'], boxes: readonly BoxName[]): string {
  if (node !== null) return boxName(node, boxes);
  return device === null ? 'without a registered tablet' : 'directly from a tablet';
}

export function boxName(node: string, boxes: readonly BoxName[]): string {
  const name = boxes.find((box) => box.node === node)?.name ?? '';
  return name === '' ? 'with a box that is not in the list' : `with ${name}`;
}

/** Groups by kind and reason, the smallest first. */
function groupsTable(groups: readonly QuarantineGroup[]): Html {
  const rows = groups.map(({ kind = 'survey', reason = '', count, submitters, firstAt, lastAt }) => [
    html`<b>${KINDS[kind]}</b>`,
    reason === '' ? 'No reason was recorded.' : reasonText(reason),
    formatNumber(count),
    html`${spanText(firstAt, lastAt)}<br><span class="small">from ${formatCount(submitters, 'sender')}</span>`,
    html`<a class="button line" href="${heldAddress({ kind, reason })}" aria-label="See ${formatCount(count, 'record')}: ${KINDS[kind]}, ${reasonText(reason)}">See them</a>`,
  ]);
  return table(
    'held',
    [
      { head: 'Kind' },
      { head: 'Why', kind: 'wide' },
      { head: 'Records', kind: 'count' },
      { head: 'Received', kind: 'wide' },
      { head: '' },
    ],
    rows,
  );
}

export function spanText(firstAt: string, lastAt: string): string {
  return firstAt === lastAt ? formatMoment(firstAt) : `${formatMoment(firstAt)} to ${formatMoment(lastAt)}`;
}

/** Name of a record. It was refused as invalid, so any field may hold anything. */
function recordName(body: unknown): string {
  if (!isObject(body)) return '';
  const { name, path, loc } = body;
  for (const word of [name, path, isObject(loc) ? loc['name'] : undefined])
    if (typeof word === 'string' && word.trim() !== '') return word.trim().slice(0, 80);
  if (isObject(name))
    return [name['first'], name['last']]
      .filter((part) => typeof part === 'string')
      .join(' ')
      .slice(0, 80);
  return '';
}

/** Puts a schema error in plain words. */
export function reasonText(reason: string): string {
  return reason.replace(
    /([\w.]+): Invalid input: expected (\w+), received (\w+)/g,
    (_all, field: string, expected: string, received: string) =>
      `${field} should be ${TYPE_NAMES[expected] ?? expected} and is ${TYPE_NAMES[received] ?? received}`,
  );
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'yes or no',
  object: 'a group of values',
  array: 'a list',
  null: 'empty',
  undefined: 'missing',
  NaN: 'no number',
};

/** Fields of the record, for the person who decides. */
function bodyFields(body: unknown): [string, string][] {
  if (!isObject(body)) return [['the whole of it', JSON.stringify(body).slice(0, FIELD_LENGTH_MAX)]];
  return Object.entries(body)
    .slice(0, FIELDS_MAX)
    .map(([field, value]) => [
      field,
      (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, FIELD_LENGTH_MAX),
    ]);
}
