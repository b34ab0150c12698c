import { ReefError } from '../../src/domain/errors';
import type { Revocations } from '../../src/protocol/revocations';
import type { EdgeContext } from '../context';
import { rolesOf } from '../socket/connection';
import { renewImageLinks } from '../reads/open-image-links';
import type { ListedSession, Session } from './sessions';
import { claimedIdOf } from './tablet-id';

/** Characters of a session's hash that name it in lists. */
const ID_LENGTH = 16;
/** Time for which an ended session is listed, ms. */
const ENDED_LISTED_MS = 60 * 86_400_000;

/** Caller who ends sessions: the session of a tablet, or null for the admin token. */
type EndingCaller = Session | null;

type AccessContext = Pick<
  EdgeContext,
  'sessions' | 'pairing' | 'state' | 'imageLinks' | 'reference' | 'time' | 'clock'
>;

export function sessionId({ hash }: Pick<Session, 'hash'>): string {
  return hash.slice(0, ID_LENGTH);
}

/** True if the caller ends any session: the console, and people who are admins ashore. */
export function mayEndAll(caller: EndingCaller): boolean {
  return caller === null || rolesOf(caller).has('manager');
}

/** True for one's own session: this one, and those of the same person, proven ashore. A tablet's id proves nothing. */
function isOwn(caller: Session, { hash, person }: Session): boolean {
  return hash === caller.hash || (caller.person?.pending === false && person?.uid === caller.person.uid);
}

/** Sessions that the caller may end, and those that ended lately; the latest used first. */
export function listSessions({ sessions, time, clock }: AccessContext, caller: EndingCaller): readonly ListedSession[] {
  const since = time.at(clock()) - ENDED_LISTED_MS;
  return sessions
    .list()
    .filter((one) => caller === null || mayEndAll(caller) || isOwn(caller, one))
    .filter(({ endedAt }) => endedAt === null || Date.parse(endedAt) > since);
}

/**
 * Ends a session, or all sessions of its tablet. What the tablet saw opens nothing afterwards: the pairing code and the
 * addresses of pictures change.
 *
 * @throws ReefError `not-found` for a session that the caller does not see, `forbidden` to unpair another tablet
 */
export function endAccess(
  context: AccessContext,
  caller: EndingCaller,
  { id, unpair }: { readonly id: string; readonly unpair?: boolean | undefined },
): void {
  const found = listSessions(context, caller).find((one) => sessionId(one) === id);
  if (found === undefined)
    throw new ReefError('not-found', { field: 'id', message: 'This session is not there any longer.' });
  if (unpair !== true) context.sessions.end(found);
  else if (mayEndAll(caller)) context.sessions.unpair(found.deviceId);
  else
    throw new ReefError('forbidden', {
      message: 'Only the box’s console, or an admin of the census, can unpair a tablet.',
    });
  renewSecrets(context);
}

/** Renews the secrets that a tablet saw which a new list of revocations names for the first time. */
export function applyRevocations(context: AccessContext, before: Revocations): void {
  const now = context.reference.revocations();
  const revoked = context.state
    .devices()
    .filter(({ id }) => now.revokesDevice(claimedIdOf(id)) && !before.revokesDevice(claimedIdOf(id)));
  if (revoked.length === 0) return;
  renewSecrets(context);
}

function renewSecrets({ pairing, state, imageLinks }: AccessContext): void {
  pairing.renewCode();
  renewImageLinks(state, imageLinks);
}
