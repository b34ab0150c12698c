import { ReefError } from '../../src/domain/errors';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { checkCloudToken } from './cloud-token';
import { revokedSignIn } from './revoked-sign-in';
import { withoutKey } from '../socket/connection';
import { NO_KEY_TEXT, SAFE_TEXT } from './session-ends';
import type { Session } from './sessions';
import { claimedIdOf, tabletIdFor } from './tablet-id';

interface Credentials {
  readonly device: { readonly id: string; readonly name: string };
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
  /** Device key that the tablet proved; null: none. */
  readonly key: string | null;
}

interface Admission {
  readonly token: string;
  readonly session: Session;
  /** Reason why this person is not signed in; the tablet's data is accepted anyway. */
  readonly notice?: string;
}

const OTHER_KEY_TEXT = `This sign-in was made with another key than this tablet’s, so no one is signed in by it. ${SAFE_TEXT} Sign in again ashore, or aboard by name.`;

/** Person of an admission, and why a token names none. */
interface Claim {
  readonly person: EdgeUser | null;
  readonly notice?: string;
}

/**
 * Admits a tablet (protocol, Edge socket 1) by its session or the code; with the person of its cloud token, else of its
 * session. A device id alone admits no one. Stores nothing unless all of it is valid.
 *
 * @throws ReefError `unauthorised`, `pairing-required`, `pairing-wrong`, `rate-limited`
 */
export async function admit(context: EdgeContext, credentials: Credentials, address: string): Promise<Admission> {
  const { device, key, session: token } = credentials;
  const held = heldSession(context, credentials, address);
  // A tablet that was revoked stays so under another id.
  if (held?.ended === 'revoked' && claimedIdOf(held.deviceId) !== device.id) context.sessions.end(held, 'revoked');
  // A session without its key is left as it is.
  if (held?.key !== undefined && key === null && token !== undefined)
    return { token, session: withoutKey(held), notice: held.revokedReason ?? NO_KEY_TEXT };
  const claim: Claim = held?.ended === undefined ? await claimOf(context, credentials, held) : { person: null };
  const tabletId = tabletIdFor(context.state, device.id, key, held);
  // A revoked tablet or person still delivers its data: admitted without a person.
  const revoked =
    (held?.ended === undefined ? revokedSignIn(context.reference, claim.person, tabletId) : undefined) ??
    (claim.person === null ? held?.revokedReason : undefined);
  const person = revoked === undefined ? claim.person : null;

  const now = isoNow(context);
  context.state.pairDevice({ id: tabletId, name: device.name }, now);
  if (key !== null && tabletId === device.id) context.state.saveDeviceKey(tabletId, key);
  context.time.commit(context.clock());
  if (person !== null && !person.pending) context.state.saveSignIn(tabletId, person.uid, JSON.stringify(person));
  const opened =
    held !== undefined && token !== undefined
      ? { token, session: context.sessions.update(held, tabletId, person) }
      : context.sessions.create(tabletId, person, now);
  if (key !== null) context.sessions.bind(opened.session, key);
  const session = context.sessions.current(opened.session) ?? opened.session;
  const notice = revoked ?? claim.notice ?? (session.key === undefined ? NO_KEY_TEXT : undefined);
  return { token: opened.token, session, ...(notice === undefined ? {} : { notice }) };
}

/**
 * Session that the tablet presents; undefined if it is to get one, by the code.
 *
 * @throws ReefError as `admit`
 */
function heldSession(
  { sessions, pairing }: EdgeContext,
  { device, key, code, session }: Credentials,
  address: string,
): Session | undefined {
  const found = session === undefined ? undefined : sessions.find(session);
  if (session !== undefined && found === undefined) {
    throw new ReefError('unauthorised', {
      field: 'session',
      message: 'The box does not know this session. Pair or sign in again; what is on the tablet stays there.',
    });
  }
  const isOthers = found?.key !== undefined && key !== null && found.key !== key;
  // A session that ended delivers, and one of another key serves no one here; only the code gives another session.
  if (found === undefined || ((found.ended !== undefined || isOthers) && code !== undefined)) {
    pairing.admit(device.id, code, address);
    return undefined;
  }
  if (isOthers)
    throw new ReefError('unauthorised', {
      field: 'session',
      message: 'This session belongs to another key. Pair again with the code that the box shows.',
    });
  return found;
}

async function claimOf(context: EdgeContext, { token, key }: Credentials, held: Session | undefined): Promise<Claim> {
  const heldPerson = held?.person ?? null;
  if (token === undefined) return { person: heldPerson };
  const checked = await checkCloudToken(token, context.reference, context.time);
  if (checked.state === 'valid')
    return isFor(context, checked.person, key)
      ? { person: checked.person }
      : { person: heldPerson, notice: OTHER_KEY_TEXT };
  // Photographs must not wait for a token that only the shore renews.
  if (held !== undefined) return { person: heldPerson };
  throw new ReefError('unauthorised', {
    field: 'token',
    message: 'The token is older than the box accepts. Sign in again, here or ashore.',
  });
}

/**
 * True if the token is for the tablet with this key. One without a key, from an earlier cloud, is for anyone until the
 * box saw one with a key for the same person.
 */
function isFor({ state }: EdgeContext, person: EdgeUser, key: string | null): boolean {
  return person.key === undefined ? key === null || !state.hasKeyedSignIn(person.uid) : person.key === key;
}
