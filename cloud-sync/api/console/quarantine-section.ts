import { isObject } from '../../../src/domain/json';
import type { OpKind } from '../../../src/domain/op/op';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import { html, type Html } from '../../../src/server/pages/html';
import { definitionList, formatMoment, table } from '../../../src/server/pages/page-parts';
import type { QuarantinedOp } from '../intake/quarantine';

export const HELD_SHOWN_MAX = 100;
/** Limits for a shown record: fields, and characters of each. */
const FIELDS_MAX = 40;
const FIELD_LENGTH_MAX = 300;

const KINDS: Readonly<Record<OpKind, string>> = {
  profile: 'Person',
  survey: 'Survey',
  image: 'Photograph',
  analysis: 'Analysis',
};

/** Renders the quarantine: each record with its reason, its submitter and the release button. */
export function quarantineSection({
  quarantine,
  boxes,
}: {
  readonly quarantine: readonly QuarantinedOp[];
  readonly boxes: readonly FleetBox[];
}): Html {
  if (quarantine.length === 0) return html`<p class="small">Nothing: every record was accepted.</p>`;
  const rows = quarantine.map(({ op, reason, storedAt, broughtBy }) => {
    const name = recordName(op.body);
    const what = html`<b>${KINDS[op.kind]}${name === '' ? '' : ` ${name}`}</b><br><span class="small">number <span class="mono">${op.docId}</span></span>`;
    const release = html`<form method="post" action="/console/quarantine"><input type="hidden" name="opId" value="${op.opId}"><button class="button line" aria-label="Release: ${KINDS[op.kind]} ${name === '' ? op.docId : name}">Release</button></form>`;
    const why = html`<p>${reason === '' ? 'No reason was recorded.' : reasonText(reason)}</p><details><summary>Contents</summary>${definitionList(bodyFields(op.body))}</details>`;
    return [
      what,
      why,
      html`${formatMoment(storedAt)}<br><span class="small">${submitterText(broughtBy, boxes)}</span>`,
      release,
    ];
  });
  const more =
    quarantine.length < HELD_SHOWN_MAX
      ? ''
      : html`<p class="small">The oldest ${HELD_SHOWN_MAX} are shown; more follow when these are settled.</p>`;
  return html`<p class="small">The cloud could not accept these as they are. They are stored complete and hidden, and box and tablet keep their copies. Ask the sender for the cause. A record that you release is shown like any other, and its sender gets a new receipt.</p>${table('held', [{ head: 'Record' }, { head: 'Why', kind: 'wide' }, { head: 'Came', kind: 'wide' }, { head: '' }], rows)}${more}`;
}

function submitterText({ device, node }: QuarantinedOp['broughtBy'], boxes: readonly FleetBox[]): string {
  if (node !== null) {
    const name = boxes.find((box) => box.node === node)?.name ?? '';
    return name === '' ? 'with a box that is not in the list' : `with ${name}`;
  }
  return device === null ? 'with what was not noted' : 'from a tablet, straight';
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
function reasonText(reason: string): string {
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
