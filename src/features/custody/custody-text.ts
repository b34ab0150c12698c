import { formatCount, pluralize } from '../../base/plural';
import type { PhotographStatus, SurveyCustody } from '../../data/repositories';
import { ERRORS, type WireError } from '../../domain/errors';
import type { WipeBlocker, WipeVerdict } from '../../domain/custody/wipe-verdict';
import type { LampState } from '../../ui/feedback/Lamp';
import { WAFFLE_CELL } from '../../ui/feedback/waffle-layout';

type Totals = Omit<SurveyCustody, 'surveyId' | 'name' | 'date' | 'createdAt' | 'isOfOthers'>;

const NONE: Totals = {
  total: 0,
  tablet: 0,
  box: 0,
  shore: 0,
  twice: 0,
  alone: 0,
  held: 0,
  editsOwed: 0,
  elsewhere: 0,
  lostByBox: 0,
  missing: 0,
  lost: 0,
  aloneBytes: 0,
  onItsWay: 0,
};

export function totalsOf(surveys: readonly SurveyCustody[]): Totals {
  return surveys.reduce<Totals>(
    (sum, survey) =>
      Object.fromEntries(
        Object.keys(NONE).map((key) => [key, sum[key as keyof Totals] + survey[key as keyof Totals]]),
      ) as unknown as Totals,
    NONE,
  );
}

export function totalsText({ total, twice, shore, lost, missing, elsewhere }: Totals): string {
  if (total === 0) return 'No photographs yet. Each one is saved on this tablet first.';
  const parts = [
    `${formatCount(total, 'photograph')}.`,
    shore === total && twice < total
      ? total === 1
        ? 'It is ashore.'
        : 'All are ashore.'
      : twice === total
        ? total === 1
          ? 'It is in two places.'
          : 'All are in two places.'
        : twice === 0
          ? 'None is in two places yet.'
          : `${formatCount(twice, 'is', 'are')} in two places.`,
  ];
  if (elsewhere > 0) parts.push(`${formatCount(elsewhere, 'is', 'are')} on other tablets.`);
  if (missing > 0) parts.push(`${formatCount(missing, 'is', 'are')} missing from the box: keep the card.`);
  if (lost > 0) parts.push(`${formatCount(lost, 'is', 'are')} damaged on this tablet: keep the card.`);
  if (missing + lost === 0) parts.push('None is lost.');
  return parts.join(' ');
}

/** Note on what the box lost: what happened, what is safe, what to do. */
export function lostByBoxText({ lostByBox, missing, lost }: Totals): {
  readonly title: string;
  readonly detail: string;
} {
  const parts: string[] = [];
  if (missing + lost === 0)
    parts.push(
      `${pluralize(lostByBox, 'It is', 'Each one is')} still safe on this tablet, and is sent again automatically.`,
    );
  else if (missing < lostByBox) parts.push('This tablet sends those that it still has again automatically.');
  if (missing > 0)
    parts.push(
      `${formatCount(missing, 'is', 'are')} neither on this tablet nor ashore: open the app on the tablet that took ${pluralize(missing, 'it', 'them')}, or add ${pluralize(missing, 'it', 'them')} again from the camera card.`,
    );
  parts.push('Keep every camera card until then.');
  return { title: `${formatCount(lostByBox, 'photograph')} damaged or missing on the box`, detail: parts.join(' ') };
}

export function waffleCell({ place }: Pick<PhotographStatus, 'place'>): number {
  switch (place) {
    case 'box':
    case 'shore':
      return WAFFLE_CELL.safe;
    case 'on-its-way':
      return WAFFLE_CELL.going;
    case 'held':
    case 'missing':
    case 'lost':
      return WAFFLE_CELL.look;
    case 'tablet':
    case 'elsewhere':
      return WAFFLE_CELL.here;
  }
}

/** Waffle as text: `342 on the box, 3 on their way, 1 on hold, 154 on this tablet only`. */
export function waffleText(photographs: readonly PhotographStatus[]): string {
  const n = (...places: PhotographStatus['place'][]) =>
    photographs.filter(({ place }) => places.includes(place)).length;
  const words: readonly [number, string][] = [
    [n('shore'), 'ashore'],
    [n('box'), 'on the box'],
    [n('on-its-way'), 'on their way'],
    [n('held'), 'on hold'],
    [n('missing'), 'missing from the box'],
    [n('lost'), 'on hold, damaged here'],
    [n('tablet'), 'on this tablet only'],
    [n('elsewhere'), 'on other tablets'],
  ];
  return words.flatMap(([some, where]) => (some > 0 ? [`${some.toLocaleString('en')} ${where}`] : [])).join(', ');
}

export function lightsAt({ isOnTablet, box, shore, place, to }: PhotographStatus): {
  readonly tablet: LampState;
  readonly box: LampState;
  readonly shore: LampState;
} {
  const going = (there: PhotographStatus['to']): LampState =>
    place === 'on-its-way' && to === there ? 'going' : 'off';
  return {
    tablet: isOnTablet ? 'on' : 'off',
    box: box !== null ? 'on' : going('box'),
    shore: shore !== null ? 'on' : going('shore'),
  };
}

export function placeText(photograph: PhotographStatus, now: Date): string {
  const { place, box, shore, lostBy, fraction, reason, isEditOwed, isOnTablet, isFreed } = photograph;
  const later = isEditOwed ? ' A later change to its record is still to send.' : '';
  switch (place) {
    case 'shore':
      return `ashore since ${formatTime(shore?.storedAt ?? '', now)}, with receipt${isFreed ? '; its space here was freed, the preview stays' : ''}.${later}`;
    case 'box':
      return `on ${box?.name ?? 'the box'} since ${formatTime(box?.storedAt ?? '', now)}, with receipt${isOnTablet ? '' : '; not on this tablet'}.${later}`;
    case 'on-its-way':
      return `on its way, ${Math.floor(100 * (fraction ?? 0))}%`;
    case 'held':
      return `on hold: ${reasonText(reason)} It is safe on this tablet. You can safely send it again.`;
    case 'lost':
      if (isFreed) return `not here: ${reasonText(reason)}`;
      return `on hold: ${reasonText(reason)} All others are unchanged. Add it again from the card to repair it.`;
    case 'tablet': {
      const why = [
        ...(lostBy === null ? [] : [`The copy on ${lostBy} is damaged or missing.`]),
        ...(reason === null ? [] : [reasonText(reason)]),
      ];
      return why.length === 0
        ? 'saved on this tablet only'
        : `saved on this tablet only. ${why.join(' ')} It is sent again automatically.`;
    }
    case 'missing':
      return `missing: the copy on ${lostBy ?? 'the box'} is damaged or gone, and this tablet has none. Open the app on the tablet that took it, or add it again from its camera card.`;
    case 'elsewhere':
      return 'on another tablet, not sent yet';
  }
}

function reasonText(error: WireError | null): string {
  if (error === null) return 'the box gave no reason.';
  return error.message === '' ? ERRORS[error.code].message : error.message;
}

/** Time for people: `10:31` today, `Thu 15:22` within a week, `12 Nov 15:22` before. */
export function formatTime(iso: string, now: Date): string {
  const then = new Date(iso);
  if (Number.isNaN(then.getTime())) return 'an unknown time';
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(then);
  if (then.toDateString() === now.toDateString()) return clock;
  const days = (now.getTime() - then.getTime()) / 86_400_000;
  const day = new Intl.DateTimeFormat(
    'en-GB',
    days >= 0 && days < 6 ? { weekday: 'short' } : { day: 'numeric', month: 'short' },
  ).format(then);
  return `${day} ${clock}`;
}

export function verdictTitle(verdict: WipeVerdict, to: PhotographStatus['to'], now: Date): string {
  switch (verdict.kind) {
    case 'safe':
      return 'Safe to wipe this card';
    case 'keep':
    case 'nothing':
      return 'Do not wipe this card yet';
    case 'check-now':
    case 'check-later':
      return verdict.last === null
        ? `Do not wipe it until the ${to} confirms again`
        : `Safe as of ${formatTime(verdict.last.at, now)}, asked of ${verdict.last.boxName}`;
  }
}

/** Title of a card in one line, with the name of its survey. */
export function shortVerdictTitle(verdict: WipeVerdict, to: PhotographStatus['to'], name: string, now: Date): string {
  if (verdict.kind === 'safe') return `Safe to wipe: ${name}`;
  const dated = (verdict.kind === 'check-now' || verdict.kind === 'check-later') && verdict.last !== null;
  return dated ? `${verdictTitle(verdict, to, now)}: ${name}` : `Do not wipe yet: ${name}`;
}

/** One obstacle to wiping a card, and what to do about it. */
export function missingText(
  missing: WipeBlocker,
  to: PhotographStatus['to'] = 'box',
): { readonly title: string; readonly detail: string } {
  switch (missing.kind) {
    case 'reading':
      return {
        title: `${formatCount(missing.count, 'file')} still to be read`,
        detail: 'Keep the card in the reader.',
      };
    case 'unread':
      return {
        title: `${formatCount(missing.count, 'file')} never read`,
        detail: 'Reading was interrupted. Add the card again: files that are already here are recognised.',
      };
    case 'left-out':
      return {
        title: `${formatCount(missing.files.length, 'file')} not added`,
        detail: 'Check each one below. Any photograph among them is only on the card.',
      };
    case 'held':
      return { title: `${formatCount(missing.count, 'photograph')} on hold`, detail: reasonText(missing.reason) };
    case 'no-receipt':
      return {
        title: `${formatCount(missing.count, 'photograph')} without a receipt from the ${to}`,
        detail: `${pluralize(missing.count, 'It has', 'They have')} only one copy besides the card.`,
      };
    case 'ashore-alone':
      return {
        title: `${formatCount(missing.count, 'photograph')} ashore, not on this box`,
        detail: `The shore has given a receipt for ${pluralize(missing.count, 'it', 'each')}. Keep the card until this box has ${pluralize(missing.count, 'it', 'them')} too, or until the shore confirms again, away from this box.`,
      };
    case 'other-box':
      return {
        title: `${formatCount(missing.count, 'photograph')} on another box, not on this one`,
        detail: `That box has given a receipt for ${pluralize(missing.count, 'it', 'each')}. Keep the card until this one has too.`,
      };
    case 'gone-from-box':
      return {
        title: `${formatCount(missing.count, 'photograph')} no longer ${to === 'shore' ? 'ashore' : 'on the box'}`,
        detail: 'It had confirmed them but no longer has them. Keep the card, and make a rescue copy.',
      };
    case 'wiped':
      return {
        title: 'This tablet’s storage was cleared',
        detail: 'Anything added before is no longer known here. Add the card again.',
      };
  }
}
