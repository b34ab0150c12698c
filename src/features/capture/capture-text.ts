import { formatCount, pluralize } from '../../base/plural';
import type { PhotographView } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';
import type { PhotographHint } from '../../domain/image/hints';
import type { ImagePosition } from '../../domain/image/image';
import { custodyText, editText, errorText } from '../sync-status';
import type { SurveyAdding } from './queue/adding-state';
import type { RollItem, HintCounts } from './roll/roll-items';
import type { CustodyCounts } from '../survey';

/** Two words at most. `numberOf` returns the position in the roll. */
export function hintLabel(hint: PhotographHint, numberOf: (id: ImageId) => number | null): string {
  switch (hint.kind) {
    case 'blurred':
      return 'Blurred';
    case 'too-dark':
      return 'Too dark';
    case 'too-bright':
      return 'Too bright';
    case 'only-water':
      return 'Only water';
    case 'near-duplicate': {
      const number = numberOf(hint.of);
      return number === null ? 'Like another' : `Like ${number}`;
    }
  }
}

/** Hint with advice. */
export function hintText(hint: PhotographHint, numberOf: (id: ImageId) => number | null): string {
  switch (hint.kind) {
    case 'blurred':
      return 'It looks blurred: hold the camera still, or come closer.';
    case 'too-dark':
      return 'It is very dark: little can be made out.';
    case 'too-bright':
      return 'It is very bright: parts of it are pure white.';
    case 'only-water':
      return 'It seems to show only water.';
    case 'near-duplicate': {
      const number = numberOf(hint.of);
      return `It shows nearly the same as ${number === null ? 'another photograph' : `photograph ${number}`}.`;
    }
  }
}

/** "3 are blurred, 2 show only water, 1 is too dark." */
export function hintCountText(counts: HintCounts): string {
  const parts: string[] = [];
  const add = (n: number, one: string, more: string): void => {
    if (n > 0) parts.push(`${n.toLocaleString('en')} ${n === 1 ? one : more}`);
  };
  add(counts.blurred, 'is blurred', 'are blurred');
  add(counts['only-water'], 'shows only water', 'show only water');
  add(counts['too-dark'], 'is too dark', 'are too dark');
  add(counts['too-bright'], 'is too bright', 'are too bright');
  add(counts['near-duplicate'], 'is nearly the same as another', 'are nearly the same as another');
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

/** Accessible name of a tile: name, state, hint. */
export function rollItemLabel(rollItem: RollItem, numberOf: (id: ImageId) => number | null): string {
  switch (rollItem.kind) {
    case 'photograph': {
      const { number, photograph } = rollItem;
      const { name, preview, custody, hints } = photograph;
      const parts = [`${number}, ${name}`, custodyText(custody, preview !== 'elsewhere')];
      const edit = editText(custody);
      if (edit !== null) parts.push(edit.replace(/\.$/, ''));
      if (preview === 'none') parts.push('no preview, the original is saved and safe');
      for (const hint of hints) parts.push(hintLabel(hint, numberOf));
      return parts.join('. ');
    }
    case 'known':
      return `${rollItem.file.name}. Duplicate, left out: ${rollItem.twin === null ? 'the same as one added before' : `the same as ${rollItem.twin.number}`}`;
    case 'adding':
      return `${rollItem.file.name}. ${addingText(rollItem.file.state)}`;
  }
}

/** Place of a photograph of which this tablet has no picture, in the words of a tile. */
export function elsewhereText(custody: PhotographView['custody']): string {
  if (custody.status === 'shore') return 'Ashore, no picture here';
  if (custody.status === 'box') return 'On the box, no picture here';
  return custody.status === 'tablet' && custody.lostBy !== undefined ? 'Missing from the box' : 'On another tablet';
}

function addingText(state: Extract<RollItem, { kind: 'adding' }>['file']['state']): string {
  switch (state.status) {
    case 'waiting':
      return 'waiting, not saved yet';
    case 'reading':
      return 'being read and saved';
    case 'refused':
      return refusedText(state.error);
    case 'known':
      return 'already here';
  }
}

/** "Left out" if not a photograph, "Not saved" if it could not be stored. */
export function refusedText(error: Parameters<typeof errorText>[0]): string {
  return error.code === 'unsupported-media' ? `Left out: ${errorText(error)}` : `Not saved: ${errorText(error)}`;
}

/** Safety first, then advice about the card. Never "wipe": only the check on the Photographs page may advise it. */
export function cardVerdict(
  counts: CustodyCounts,
  adding: Pick<SurveyAdding, 'reading' | 'waiting' | 'isPaused'>,
  unread = 0,
): readonly [string, string] {
  const left = adding.reading + adding.waiting;
  if (left > 0)
    return [
      'Leave the card in the reader.',
      `${formatCount(left, 'photograph')} still to be read${adding.isPaused ? ', paused' : ''}.${counts.alone > 0 ? ` ${counts.alone.toLocaleString('en')} ${pluralize(counts.alone, 'is', 'are')} on this tablet only.` : ''}`,
    ];
  if (unread > 0)
    return [
      `${formatCount(unread, 'photograph')} of the card ${pluralize(unread, 'was', 'were')} not read: add the same card again.`,
      counts.alone > 0
        ? `${formatCount(counts.alone, 'is', 'are')} on this tablet only. Do not wipe it yet.`
        : 'Photographs that are already saved are left out.',
    ];
  if (counts.total === 0) return ['Nothing to lose yet.', 'Photographs are saved on this tablet first.'];
  if (counts.alone > 0)
    return [
      'Keep the card in the camera bag.',
      `${formatCount(counts.alone, 'is', 'are')} on this tablet only. Do not wipe it yet.`,
    ];
  if (counts.missing > 0)
    return [
      'Keep the camera card.',
      `${formatCount(counts.missing, 'photograph is', 'photographs are')} missing from the box. Add ${pluralize(counts.missing, 'it', 'them')} again from the card.`,
    ];
  if (counts.receipted < counts.total)
    return [
      'Nothing here is only on this tablet.',
      `${formatCount(counts.total - counts.receipted, 'photograph')} from another tablet still to reach the box.`,
    ];
  return [
    `All of this survey is ${counts.shore === counts.total ? 'ashore' : 'on the box'}.`,
    [
      counts.shore > 0 && counts.shore < counts.total
        ? `Each photograph has its receipt; ${formatCount(counts.shore, 'is', 'are')} ashore too.`
        : 'Each photograph has its receipt.',
      ...(counts.edits > 0 ? [`${formatCount(counts.edits, 'change is', 'changes are')} still to be sent.`] : []),
    ].join(' '),
  ];
}

export function positionSourceText(position: ImagePosition): string {
  switch (position.source) {
    case 'exif':
      return 'as the camera recorded it';
    case 'vessel':
      return 'from the vessel’s track';
    case 'device':
      return 'from this tablet';
    case 'person':
      return 'set by hand';
    case 'dive':
      return 'where the dive was';
    default:
      return 'source unknown';
  }
}
