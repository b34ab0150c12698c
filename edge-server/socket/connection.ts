import { ReefError } from '../../src/domain/errors';
import type { EdgeRole, EdgeRoles } from '../../src/domain/policy/edge-policy';
import type { PersonId } from '../../src/domain/ids';
import type { EdgeEvent, EdgeMessage, EdgeReplies } from '../../src/protocol/edge-socket';
import type { ChangeScope } from '../../src/server/ops/append-store';
import type { EdgeContext } from '../context';
import type { Session } from '../sign-in/sessions';
import type { Subscriber } from '../reads/subscriptions';

export interface Connection extends Subscriber {
  readonly address: string;
  /** Null until verified. */
  session: Session | null;
}

/** Handler of one event; the message is validated and the connection authorised. */
export type SocketHandler<Event extends EdgeEvent> = (
  context: EdgeContext,
  connection: Connection,
  message: EdgeMessage<Event>,
  /** Chunk of `image:binary`. */
  attachment: unknown,
) => Promise<EdgeReplies[Event]>;

export function rolesOf(session: Session | null): EdgeRoles {
  const roles: EdgeRole[] = ['anyone'];
  if (session !== null) roles.push('device');
  if (session !== null && session.ended === undefined) roles.push('reader');
  if (session !== null && session.person !== null) roles.push('person');
  if (session?.person?.['admin'] === true && !session.person.pending) roles.push('manager');
  return new Set(roles);
}

/** Error for a caller who is known and may not; a tablet whose access ended is told so. */
export function refusalOf(session: Session | null): ReefError {
  return session?.ended === undefined || session.revokedReason === undefined
    ? new ReefError('forbidden')
    : new ReefError('forbidden', { field: 'session', message: session.revokedReason });
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

/** Scope of the change feed; null for none, as for a tablet whose access ended. */
export function scopeOf(session: Session | null): ChangeScope | null {
  return session === null || session.ended !== undefined
    ? null
    : { person: (session.person?.uid ?? null) as PersonId | null, deviceId: session.deviceId };
}
