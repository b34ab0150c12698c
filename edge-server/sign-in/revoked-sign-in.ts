import type { CloudRoles } from '../../src/domain/policy/roles';
import { rolesOfPerson } from '../../src/domain/policy/roles';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { TokenRole } from '../../src/protocol/revocations';
import { TOKEN_ROLES } from '../../src/protocol/revocations';
import type { BoxState } from '../store/box-state';
import type { ReferenceData } from '../bridge/reference-data';
import { END_TEXTS, SAFE_TEXT } from './session-ends';
import { claimedIdOf } from './tablet-id';

const PERSON_REVOKED_TEXT = `This sign-in was ended ashore. ${SAFE_TEXT} Sign in again ashore to work under this name.`;

/**
 * Message if a revocation from shore ends this sign-in; undefined if not. The tablet itself still relays: the outbox
 * belongs to the device.
 *
 * @param person with the token's issue data
 */
export function revokedSignIn(
  reference: Pick<ReferenceData, 'revocations'>,
  person: EdgeUser | null,
  deviceId: string,
): string | undefined {
  const revocations = reference.revocations();
  if (revocations.revokesDevice(claimedIdOf(deviceId))) return END_TEXTS.revoked;
  if (person === null || person.pending) return undefined;
  return revocations.revokesPerson(person.uid, person) ? PERSON_REVOKED_TEXT : undefined;
}

/** Removes roles revoked ashore from a person, whatever their token claims. */
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
 * Roles of a person who wrote on a tablet, by their latest token there that names the key of the operation's signature;
 * none for a revoked sign-in, a sign-in at the box itself, or a person who never signed in on this tablet.
 *
 * @param key of the operation's valid signature
 */
export function rolesOnTablet(
  {
    reference,
    state,
  }: { readonly reference: Pick<ReferenceData, 'revocations'>; readonly state: Pick<BoxState, 'signInOn'> },
  uid: string,
  deviceId: string,
  key: string | undefined,
): CloudRoles {
  const seen = state.signInOn(deviceId, uid);
  if (seen === undefined) return rolesOfPerson(null);
  const person = JSON.parse(seen) as EdgeUser;
  if (key === undefined || person.key !== key) return rolesOfPerson(null);
  if (person.pending || revokedSignIn(reference, person, deviceId) !== undefined) return rolesOfPerson(null);
  const { verified, isExpert, admin } = withCurrentRoles(reference, person);
  return rolesOfPerson({
    verified: verified === true,
    isExpert: isExpert === true,
    admin: admin === true,
    staff: false,
  });
}
