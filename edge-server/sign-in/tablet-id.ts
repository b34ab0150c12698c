import type { BoxState } from '../store/box-state';
import type { Session } from './sessions';

/** Between the id that a tablet claims and the key that told it apart; no id contains it. */
const SEPARATOR = '~';
const KEY_LENGTH = 16;

/**
 * Id under which the box files what belongs to one tablet. A device id is a name that anyone may give: it belongs to the
 * first key that proved it, and others who give it get an id of their own.
 *
 * @param key proven in this `verify`; null: none
 * @param held session that the tablet already has
 */
export function tabletIdFor(
  state: Pick<BoxState, 'device' | 'deviceKey'>,
  claimed: string,
  key: string | null,
  held?: Session,
): string {
  const owner = state.deviceKey(claimed);
  // An id from before keys goes to the tablet that had it.
  const isFree = owner === undefined && (held?.deviceId === claimed || state.device(claimed) === undefined);
  return isFree || (key !== null && owner === key)
    ? claimed
    : `${claimed}${SEPARATOR}${(key ?? '').slice(0, KEY_LENGTH)}`;
}

/** Device id that a tablet claims. */
export function claimedIdOf(tabletId: string): string {
  return tabletId.split(SEPARATOR)[0] ?? tabletId;
}
