import type { EdgeRole, EdgeRoles } from '../../src/domain/policy/edge-policy';
import type { PersonId } from '../../src/domain/ids';
import type { EdgeEvent, EdgeMessage, EdgeReplies } from '../../src/protocol/edge-socket';
import type { ChangeScope } from '../../src/server/ops/append-store';
import type { EdgeContext } from '../context';
import type { Session } from '../sign-in/sessions';
import type { Subscriber } from '../reads/subscriptions';

/** One socket, as the verbs see it. */
export interface Connection extends Subscriber {
  /** Where it comes from. */
  readonly address: string;
  /** Null until it is verified. */
  session: Session | null;
}

/** One verb of the socket: what it does with a message that was checked, for a connection that may send it. */
export type SocketHandler<Event extends EdgeEvent> = (
  context: EdgeContext,
  connection: Connection,
  message: EdgeMessage<Event>,
  /** What came beside the message: the chunk of `image:binary`. */
  attachment: unknown,
) => Promise<EdgeReplies[Event]>;

/** The roles of whoever holds a session. */
export function rolesOf(session: Session | null): EdgeRoles {
  const roles: EdgeRole[] = ['anyone'];
  if (session !== null) roles.push('device');
  if (session !== null && session.person !== null) roles.push('person');
  return new Set(roles);
}

/** Who brings what comes over a connection. */
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

/** What the change feed shows to whoever holds a session; null: nothing. */
export function scopeOf(session: Session | null): ChangeScope | null {
  return session === null
    ? null
    : { person: (session.person?.uid ?? null) as PersonId | null, deviceId: session.deviceId };
}
