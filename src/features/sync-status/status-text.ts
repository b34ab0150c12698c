import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import { ERRORS, type WireError } from '../../domain/errors';
import type { Custody, SendingFacts } from '../../data/repositories';
import type { LampState } from '../../ui/feedback/Lamp';

export interface Lights {
  readonly tablet: LampState;
  readonly box: LampState;
  readonly shore: LampState;
}

/** Lights of a custody; `here` is false for bytes added on another tablet. */
export function lightsOf(custody: Custody, here: boolean): Lights {
  const tablet = here ? 'on' : 'off';
  switch (custody.status) {
    case 'tablet':
    case 'held':
      return { tablet, box: 'off', shore: 'off' };
    case 'on-its-way':
      return custody.to === 'shore' ? { tablet, box: 'off', shore: 'going' } : { tablet, box: 'going', shore: 'off' };
    case 'box':
      return { tablet, box: 'on', shore: 'off' };
    case 'shore':
      return { tablet, box: custody.aboard ? 'on' : 'off', shore: 'on' };
  }
}

/**
 * Lights of many photographs together.
 * @param to destination of those being sent
 */
export function lightsOfMany(
  {
    total,
    tablet,
    box,
    shore,
    onItsWay,
  }: {
    readonly total: number;
    readonly tablet: number;
    readonly box: number;
    readonly shore: number;
    readonly onItsWay: number;
  },
  to: 'box' | 'shore',
): Lights {
  const light = (n: number, isNext = false): LampState =>
    total > 0 && n === total ? 'on' : n > 0 || (isNext && onItsWay > 0) ? 'going' : 'off';
  return { tablet: light(tablet), box: light(box, to === 'box'), shore: light(shore, to === 'shore') };
}

export function custodyText(custody: Custody, here = true): string {
  switch (custody.status) {
    case 'tablet':
      if (custody.lostBy !== undefined)
        return `${here ? 'saved on this tablet' : 'not on this tablet'}. The copy on ${custody.lostBy} is damaged or missing.`;
      return custody.problem === undefined
        ? 'saved on this tablet'
        : `saved on this tablet. ${errorText(custody.problem)}`;
    case 'on-its-way':
      return `saved, on its way ${custody.to === 'shore' ? 'ashore' : 'to the box'}, ${percent(custody.fraction)}`;
    case 'box':
      return here ? 'on the box, with receipt' : 'on the box; added on another tablet';
    case 'shore':
      return 'ashore, with receipt';
    case 'held':
      // A damaged copy deserves no reassurance.
      return `on hold: ${errorText(custody.reason)}${['storage', 'bytes'].includes(String(custody.reason['field'])) ? '' : ' It is safe on this tablet.'}`;
  }
}

/** Later edit of a photograph that is not yet where its bytes are; null if none. */
export function editText(custody: Custody): string | null {
  if ((custody.status !== 'box' && custody.status !== 'shore') || custody.edit === undefined) return null;
  switch (custody.edit.status) {
    case 'unsent':
      return 'A later change is still to be sent.';
    case 'box':
      return 'A later change is on the box, not ashore yet.';
    case 'held':
      return `A later change is on hold: ${errorText(custody.edit.reason)}`;
  }
}

export function errorText(error: WireError): string {
  return error.message === '' ? ERRORS[error.code].message : error.message;
}

export function sendingText(facts: SendingFacts): string {
  const { photographs, records } = facts.owed;
  const what =
    photographs > 0 ? `${formatCount(photographs, 'photograph')} to send` : `${formatCount(records, 'record')} to send`;
  const ashore = facts.to === 'shore';
  switch (facts.state) {
    case 'sending':
      return `Sending ${ashore ? 'ashore' : 'to the box'}: ${what}${facts.remainingMs === null ? '' : `, ${formatTimeLeft(facts.remainingMs)}`}`;
    case 'waiting':
      return `Waiting for the ${ashore ? 'shore' : 'box'}: ${what}`;
    case 'paused':
      return `Paused: ${what}`;
    case 'stopped':
      return `Sending is cancelled: ${what}`;
    case 'elsewhere':
      return `Another tab on this tablet sends: ${what}`;
    case 'done':
      return ashore ? 'Everything is ashore, with receipts' : 'Everything is on the box, with receipts';
  }
}

/** Detail line: amount left, speed, what is safe, next attempt. `now` in ms since the epoch. */
export function sendingDetail(facts: SendingFacts, now: number): string {
  if (facts.state === 'done') return 'Nothing is left to send on this tablet.';
  const parts: string[] = [];
  if (facts.owed.bytes > 0)
    parts.push(
      facts.rate !== null && facts.state === 'sending'
        ? `${formatBytes(facts.owed.bytes)} left at ${formatBytes(facts.rate)} a second.`
        : `${formatBytes(facts.owed.bytes)} left.`,
    );
  if (facts.problem !== null) parts.push(errorText(facts.problem));
  if (facts.state === 'stopped')
    parts.push(
      `Everything stays saved on this tablet and still has to go to the ${facts.to}. Nothing is sent until you press Send.`,
    );
  else if (facts.state !== 'sending') parts.push('Everything is safe on this tablet.');
  if (facts.state === 'waiting')
    parts.push(
      facts.nextTryAt === null
        ? `Sending starts automatically when the ${facts.to} is in reach.`
        : `Next try in ${Math.max(1, Math.ceil((facts.nextTryAt - now) / 1000))} s.`,
    );
  return parts.join(' ');
}

/** Time left, rounded up: `less than a minute`, `about 6 min`, `about 2 h`. */
export function formatTimeLeft(ms: number): string {
  if (ms < 60_000) return 'less than a minute';
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.ceil(minutes / 60)} h`;
}

function percent(fraction: number): string {
  return `${Math.floor(100 * Math.min(1, Math.max(0, fraction)))}%`;
}
