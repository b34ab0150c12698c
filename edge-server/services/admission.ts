import { ReefError } from '../../src/domain/errors';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { checkCloudToken } from './cloud-token';
import type { Session } from './sessions';

/** What a tablet brings to be let in. */
export interface Credentials {
  readonly device: { readonly id: string; readonly name: string };
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
}

/** A session, with the token that its holder uses. */
export interface Admitted {
  readonly token: string;
  readonly session: Session;
}

/**
 * Lets a tablet in (protocol, Edge socket 1): by its session, else as a paired device or with the pairing code; with the
 * person of its cloud token, else of its session. Nothing is stored unless all of it holds.
 *
 * @throws ReefError `unauthorised`, `pairing-required`, `pairing-wrong`, `rate-limited`
 */
export async function admit(context: EdgeContext, credentials: Credentials, address: string): Promise<Admitted> {
  const { device } = credentials;
  const held = credentials.session === undefined ? undefined : context.sessions.find(credentials.session);
  if (credentials.session !== undefined && held === undefined) {
    throw new ReefError('unauthorised', { field: 'session', message: 'The box does not know this session. Pair or sign in again; what is on the tablet stays there.' });
  }
  if (held === undefined) context.pairing.admit(device.id, credentials.code, address);
  const person = await personOf(context, credentials.token, held);

  const now = isoNow(context);
  context.state.pairDevice(device, now);
  context.time.commit(context.clock());
  if (held !== undefined && credentials.session !== undefined) return { token: credentials.session, session: context.sessions.change(held, device.id, person) };
  return context.sessions.open(device.id, person, now);
}

async function personOf(context: EdgeContext, token: string | undefined, held: Session | undefined): Promise<EdgeUser | null> {
  if (token === undefined) return held?.person ?? null;
  const checked = await checkCloudToken(token, context.reference, context.time);
  if (checked.state === 'valid') return checked.person;
  // Photographs of a season at sea must not wait for a token that only shore renews.
  if (held !== undefined) return held.person;
  throw new ReefError('unauthorised', { field: 'token', message: 'The token is older than the box accepts. Sign in again, here or ashore.' });
}
