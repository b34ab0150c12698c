import type { CloudRoles } from '../../src/domain/policy/roles';
import { rolesOfPerson } from '../../src/domain/policy/roles';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { TokenRole } from '../../src/protocol/revocations';
import { TOKEN_ROLES } from '../../src/protocol/revocations';
import type { BoxState } from '../store/box-state';
import type { ReferenceData } from '../bridge/reference-data';

const SAFE_TEXT = 'What this tablet holds is safe and is still sent.';
const PERSON_REVOKED_TEXT = `This sign-in was ended ashore. ${SAFE_TEXT} Sign in again ashore to work under this name.`;
const TABLET_REVOKED_TEXT = `This tablet was revoked ashore, so nobody is signed in on it. ${SAFE_TEXT}`;

/**
 * Whether what was ended from shore ends a sign-in aboard, in words for whoever holds the tablet; undefined where it does not. A tablet
 * itself goes on relaying: the outbox is the device's.
 *
 * @param person with what their token says of when it was made
 */
export function revokedSignIn(
  reference: Pick<ReferenceData, 'revocations'>,
  person: EdgeUser | null,
  deviceId: string,
): string | undefined {
  const revocations = reference.revocations();
  if (revocations.revokesDevice(deviceId)) return TABLET_REVOKED_TEXT;
  if (person === null || person.pending) return undefined;
  return revocations.revokesPerson(person.uid, person) ? PERSON_REVOKED_TEXT : undefined;
}

/** A person as they are by all that is known aboard: a role that was taken away ashore is none, whatever their token says. */
export function withCurrentRoles(reference: Pick<ReferenceData, 'revocations'>, person: EdgeUser): EdgeUser {
  const said = TOKEN_ROLES.filter((role) => person[role] === true);
  const left = reference.revocations().remainingRoles(person.uid, said, person);
  if (left.length === said.length) return person;
  return Object.fromEntries(
    Object.entries(person).filter(
      ([field]) => left.includes(field as TokenRole) || !TOKEN_ROLES.includes(field as TokenRole),
    ),
  ) as EdgeUser;
}

/**
 * What somebody is who wrote on a tablet, as far as the box was shown: by the latest token with which they signed in on it. Whose sign-in
 * was ended, who signed in at the box itself, and who never did on this tablet is nobody in particular.
 */
export function rolesOnTablet(
  {
    reference,
    state,
  }: { readonly reference: Pick<ReferenceData, 'revocations'>; readonly state: Pick<BoxState, 'signInOn'> },
  uid: string,
  deviceId: string,
): CloudRoles {
  const seen = state.signInOn(deviceId, uid);
  if (seen === undefined) return rolesOfPerson(null);
  const person = JSON.parse(seen) as EdgeUser;
  if (person.pending || revokedSignIn(reference, person, deviceId) !== undefined) return rolesOfPerson(null);
  const { verified, isExpert, admin } = withCurrentRoles(reference, person);
  return rolesOfPerson({
    verified: verified === true,
    isExpert: isExpert === true,
    admin: admin === true,
    staff: false,
  });
}
