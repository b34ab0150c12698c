import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { ReferenceData } from './reference';

const SAFE = 'What this tablet holds is safe and is still sent.';
const PERSON_ENDED = `This sign-in was ended ashore. ${SAFE} Sign in again ashore to work under this name.`;
const TABLET_ENDED = `This tablet was revoked ashore, so nobody is signed in on it. ${SAFE}`;

/**
 * Whether what was ended from shore ends a sign-in aboard, in words for whoever holds the tablet; undefined where it does not. A tablet
 * itself goes on relaying: the outbox is the device's.
 *
 * @param person with the time at which the cloud made the token, ms since 1970, in `signedAt`
 */
export function endedSignIn(reference: Pick<ReferenceData, 'revocations'>, person: EdgeUser | null, deviceId: string): string | undefined {
  const revocations = reference.revocations();
  if (revocations.endsDevice(deviceId)) return TABLET_ENDED;
  if (person === null || person.pending) return undefined;
  const { signedAt } = person;
  return revocations.endsPerson(person.uid, typeof signedAt === 'number' ? signedAt : 0) ? PERSON_ENDED : undefined;
}
