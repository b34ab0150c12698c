/**
 * Distinguishes water from hands (deck mode). Drops come in bursts: several places within a few hundred milliseconds,
 * faster than a hand moves, or one large contact. Pure.
 *
 * Each press is watched for `WATCH_MS`, since the first drop of a burst looks like any press. A usual press lasts about
 * as long and is not delayed.
 */

/** Time that a press is watched before it counts, ms from its start. */
export const WATCH_MS = 150;
/** Two places within this time are too fast for a hand, ms. */
const TOO_FAST_MS = WATCH_MS;
/** Window in which three places, or four contacts anywhere, are a burst, ms. */
const BURST_MS = 400;
const BURST_PLACES = 3;
const BURST_CONTACTS = 4;
/** Quiet time that ends a burst, ms. */
export const CALM_MS = 300;
/** Concurrent contacts that are not a press; two may be a pinch. */
const AT_ONCE = 3;
/** Distance within one place, px: a control of the deck (64) and half its gap. */
const SAME_PLACE_PX = 72;
/** Width or height of a puddle, palm or sleeve, px. A gloved thumb is smaller. */
const LARGE_PX = 96;

/** Sample of a touch. `time` in ms of one clock; places and sizes in CSS px. `isOnly`: no other touch is down. */
type TouchSample =
  | {
      readonly kind: 'down' | 'move';
      readonly id: number;
      readonly time: number;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly isOnly?: boolean;
    }
  | { readonly kind: 'up' | 'cancel'; readonly id: number; readonly time: number };

/** `watched`: ask again when it is `WATCH_MS` old. `unknown`: never added, or long gone. */
type TouchVerdict = 'wet' | 'watched' | 'pressed' | 'unknown';

interface Contact {
  readonly id: number;
  readonly at: number;
  readonly x: number;
  readonly y: number;
  endedAt: number | null;
  isWet: boolean;
}

/** Detector for one screen. Ids of ended contacts may be reused. */
export class WetTouchDetector {
  #contacts: Contact[] = [];
  #burstEnds = Number.NEGATIVE_INFINITY;

  /** Adds a sample; returns the ids of current or recent contacts that it reveals as water. */
  addSample(sample: TouchSample): readonly number[] {
    if (sample.kind === 'down') return this.#down(sample);
    const contact = this.#latest(sample.id);
    if (contact === undefined) return [];
    if (sample.kind === 'move') return isLarge(sample) ? this.#markWet([contact]) : [];
    contact.endedAt = sample.time;
    return [];
  }

  /** Verdict on the last contact of this id, as of `time`. */
  verdict(id: number, time: number): TouchVerdict {
    const contact = this.#latest(id);
    if (contact === undefined) return 'unknown';
    if (contact.isWet) return 'wet';
    return time - contact.at < WATCH_MS ? 'watched' : 'pressed';
  }

  #down(sample: TouchSample & { kind: 'down' | 'move' }): readonly number[] {
    const { id, time, x, y, isOnly = false } = sample;
    const contact: Contact = { id, at: time, x, y, endedAt: null, isWet: false };
    // The end of a touch is not reported if its element disappeared.
    for (const each of this.#contacts) if (isOnly || each.id === id) each.endedAt ??= time;
    this.#contacts = this.#contacts.filter(({ endedAt }) => endedAt === null || time - endedAt <= BURST_MS);
    this.#contacts.push(contact);
    const recent = this.#contacts.filter((each) => time - each.at <= BURST_MS);
    const down = this.#contacts.filter(({ endedAt }) => endedAt === null);
    const found = new Set<Contact>();
    if (isLarge(sample) || time < this.#burstEnds) found.add(contact);
    if (down.length >= AT_ONCE) for (const each of down) found.add(each);
    if (recent.length >= BURST_CONTACTS || places(recent) >= BURST_PLACES) for (const each of recent) found.add(each);
    const fast = recent.filter((each) => time - each.at < TOO_FAST_MS);
    if (places(fast) > 1) for (const each of fast) found.add(each);
    // Water repeats: further contacts count as water until it is calm.
    if (found.size > 0) this.#burstEnds = time + CALM_MS;
    return this.#markWet(found);
  }

  #markWet(contacts: Iterable<Contact>): readonly number[] {
    const ids: number[] = [];
    for (const contact of contacts) {
      if (contact.isWet) continue;
      contact.isWet = true;
      ids.push(contact.id);
    }
    return ids;
  }

  #latest(id: number): Contact | undefined {
    return this.#contacts.findLast((each) => each.id === id);
  }
}

function isLarge({ width, height }: { readonly width: number; readonly height: number }): boolean {
  return Math.max(width, height) >= LARGE_PX;
}

/** Number of distinct places: contacts far from all counted before. */
function places(contacts: readonly Contact[]): number {
  const counted: Contact[] = [];
  for (const contact of contacts) {
    if (counted.every((each) => Math.hypot(each.x - contact.x, each.y - contact.y) > SAME_PLACE_PX))
      counted.push(contact);
  }
  return counted.length;
}
