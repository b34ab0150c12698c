import { ReefError } from '../../src/domain/errors';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { checkCloudToken } from './cloud-token';
import { revokedSignIn } from './revoked-sign-in';
import type { Session } from './sessions';

/** What a tablet brings to be let in. */
export interface Credentials {
  readonly device: { readonly id: string; readonly name: string };
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
}

/** A session, with the token that its holder uses. */
export interface Admission {
  readonly token: string;
  readonly session: Session;
  /** Why somebody whose token or session this was is not signed in, in words; what the tablet holds is taken all the same. */
  readonly notice?: string;
}

/**
 * Lets a tablet in (protocol, Edge socket 1): by its session, else as a paired device or with the pairing code; with the
 * person of its cloud token, else of its session. Nothing is stored unless all of it holds.
 *
 * @throws ReefError `unauthorised`, `pairing-required`, `pairing-wrong`, `rate-limited`
 */
export async function admit(context: EdgeContext, credentials: Credentials, address: string): Promise<Admission> {
  const { device } = credentials;
  const held = credentials.session === undefined ? undefined : context.sessions.find(credentials.session);
  if (credentials.session !== undefined && held === undefined) {
    throw new ReefError('unauthorised', {
      field: 'session',
      message: 'The box does not know this session. Pair or sign in again; what is on the tablet stays there.',
    });
  }
  if (held === undefined) context.pairing.admit(device.id, credentials.code, address);
  const claimed = await personOf(context, credentials.token, held);
  // A tablet that was revoked, or whose person was, still brings what it holds: it is let in, as nobody.
  const notice =
    revokedSignIn(context.reference, claimed, device.id) ?? (claimed === null ? held?.revokedReason : undefined);
  const person = notice === undefined ? claimed : null;

  const now = isoNow(context);
  context.state.pairDevice(device, now);
  context.time.commit(context.clock());
  if (person !== null && !person.pending) context.state.saveSignIn(device.id, person.uid, JSON.stringify(person));
  const opened =
    held !== undefined && credentials.session !== undefined
      ? { token: credentials.session, session: context.sessions.update(held, device.id, person) }
      : context.sessions.create(device.id, person, now);
  const admitted = { token: opened.token, session: context.sessions.current(opened.session) ?? opened.session };
  return notice === undefined ? admitted : { ...admitted, notice };
}

async function personOf(
  context: EdgeContext,
  token: string | undefined,
  held: Session | undefined,
): Promise<EdgeUser | null> {
  if (token === undefined) return held?.person ?? null;
  const checked = await checkCloudToken(token, context.reference, context.time);
  if (checked.state === 'valid') return checked.person;
  // Photographs of a season at sea must not wait for a token that only shore renews.
  if (held !== undefined) return held.person;
  throw new ReefError('unauthorised', {
    field: 'token',
    message: 'The token is older than the box accepts. Sign in again, here or ashore.',
  });
}
