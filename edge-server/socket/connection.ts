import { ReefError } from '../../src/domain/errors';
import type { EdgeRole, EdgeRoles } from '../../src/domain/policy/edge-policy';
import type { PersonId } from '../../src/domain/ids';
import type { EdgeEvent, EdgeMessage, EdgeReplies } from '../../src/protocol/edge-socket';
import type { ChangeScope } from '../../src/server/ops/append-store';
import type { EdgeContext } from '../context';
import type { Session, Sessions } from '../sign-in/sessions';
import { NO_KEY_TEXT } from '../sign-in/session-ends';
import type { Subscriber } from '../reads/subscriptions';

export interface Connection extends Subscriber {
  readonly address: string;
  /** Null until verified. */
  session: Session | null;
  /** Device key proven by the last `verify`; without one the tablet delivers and reads nothing. */
  key?: string | null;
  /** Challenge that is not answered yet. */
  challenge?: string | undefined;
}

/** Handler of one event; the message is validated and the connection authorised. */
export type SocketHandler<Event extends EdgeEvent> = (
  context: EdgeContext,
  connection: Connection,
  message: EdgeMessage<Event>,
  /** Chunk of `image:binary`. */
  attachment: unknown,
) => Promise<EdgeReplies[Event]>;

/** Session of a connection with its present access. It reads only where its key was proven. */
export function presentSession(sessions: Pick<Sessions, 'current'>, connection: Connection): Session | null {
  const session = sessions.current(connection.session);
  return session === null || typeof connection.key === 'string' ? session : withoutKey(session);
}

export function withoutKey({ key: _key, ...session }: Session): Session {
  return session;
}

function mayRead(session: Session): boolean {
  return session.ended === undefined && session.key !== undefined;
}

export function rolesOf(session: Session | null): EdgeRoles {
  const roles: EdgeRole[] = ['anyone'];
  if (session !== null) roles.push('device');
  if (session !== null && mayRead(session)) roles.push('reader');
  if (session !== null && session.person !== null) roles.push('person');
  if (session !== null && mayRead(session) && session.person?.['admin'] === true && !session.person.pending)
    roles.push('manager');
  return new Set(roles);
}

/** Error for a caller who is known and may not; a tablet whose access ended is told so. */
export function refusalOf(session: Session | null): ReefError {
  if (session?.ended !== undefined && session.revokedReason !== undefined)
    return new ReefError('forbidden', { field: 'session', message: session.revokedReason });
  return session !== null && session.key === undefined
    ? new ReefError('forbidden', { field: 'session', message: NO_KEY_TEXT })
    : new ReefError('forbidden');
}

export function submitterOf({ session }: Pick<Connection, 'session'>): {
  readonly person: PersonId | null;
  readonly roles: EdgeRoles;
  readonly deviceId?: string;
} {
  return {
    person: (session?.person?.uid ?? null) as PersonId | null,
    roles: rolesOf(session),
    ...(session === null ? {} : { deviceId: session.deviceId }),
  };
}

/** Scope of the change feed; null for none, as for a tablet whose access ended or that proved no key. */
export function scopeOf(session: Session | null): ChangeScope | null {
  return session === null || !mayRead(session)
    ? null
    : { person: (session.person?.uid ?? null) as PersonId | null, deviceId: session.deviceId };
}
