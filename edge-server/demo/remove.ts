import { draftDelete } from '../../src/domain/op/draft';
import type { OpKind } from '../../src/domain/op/op';
import type { PersonId } from '../../src/domain/ids';
import { isObject } from '../../src/domain/json';
import { schemaVersion } from '../../src/domain/records';
import type { RunningBox } from '../running-box';
import { BoxClient } from './box-client';
import { DemoDevice } from './fill';
import { everything, surveyOf, type Found } from './found';

/** What was taken away, and what was left because real work hangs on it. */
export interface Removed {
  readonly documents: number;
  readonly kept: readonly string[];
}

/** Photographs first, then what they belong to. */
const ORDER: readonly OpKind[] = ['analysis', 'image', 'survey', 'profile'];

/**
 * Takes the demo content away: each of its documents is deleted by an operation, so that it goes from the tablets, from the box
 * and from the cloud alike. A demo survey that holds somebody's real photographs stays, and so does its person.
 *
 * @param now ISO 8601 UTC with milliseconds
 * @throws DemoError in words
 */
export async function remove(box: RunningBox, now: string): Promise<Removed> {
  const found = (await everything(box)).filter(({ seen }) => !seen.folded.deleted);
  const demo = found.filter(({ isDemo }) => isDemo);
  const lived = new Set(
    found.filter(({ isDemo, seen }) => !isDemo && seen.kind === 'image').map((image) => surveyOf(image)),
  );
  const kept = demo.filter(({ seen }) => seen.kind === 'survey' && lived.has(seen.docId));
  const people = new Set(kept.map((survey) => personOf(survey)));
  const going = demo
    .filter((one) => !kept.includes(one) && !(one.seen.kind === 'profile' && people.has(one.seen.docId)))
    .sort((a, b) => ORDER.indexOf(a.seen.kind) - ORDER.indexOf(b.seen.kind));
  if (going.length > 0) {
    const device = new DemoDevice();
    const client = await BoxClient.open(box, device);
    try {
      for (const one of going)
        await client.send(
          device.seal(draftDelete(one.seen, { ...by(one), madeAt: now, schema: schemaVersion(one.seen.kind) })),
        );
    } finally {
      client.close();
    }
  }
  return { documents: going.length, kept: kept.map(({ seen }) => String(seen.folded.doc['name'] ?? seen.docId)) };
}

/** A profile may be written by its own person alone; the rest goes by whoever it belongs to. */
function by(one: Found): { readonly by?: PersonId } {
  const person = one.seen.kind === 'profile' ? one.seen.docId : personOf(one);
  return person === undefined ? {} : { by: person as PersonId };
}

function personOf({ seen }: Found): string | undefined {
  const { user } = seen.folded.doc;
  return isObject(user) && typeof user['uid'] === 'string' ? user['uid'] : undefined;
}
