import { ReefError } from '../../src/domain/errors';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import { checkCloudToken } from './cloud-token';
import { revokedSignIn } from './revoked-sign-in';
import type { Session } from './sessions';

export interface Credentials {
  readonly device: { readonly id: string; readonly name: string };
  readonly code?: string | undefined;
  readonly token?: string | undefined;
  readonly session?: string | undefined;
}

export interface Admission {
  readonly token: string;
  readonly session: Session;
  /** Reason why this person is not signed in; the tablet's data is accepted anyway. */
  readonly notice?: string;
}

/**
 * Admits a tablet (protocol, Edge socket 1) by its session, its pairing or the code; with the person of its cloud
 * token, else of its session. Stores nothing unless all of it is valid.
 *
 * @throws ReefError `unauthorised`, `pairing-required`, `pairing-wrong`, `rate-limited`
 */
export async function admit(context: EdgeContext, credentials: Credentials, address: string): Promise<Admission> {
  const { device } = credentials;
  const found = credentials.session === undefined ? undefined : context.sessions.find(credentials.session);
  if (credentials.session !== undefined && found === undefined) {
    throw new ReefError('unauthorised', {
      field: 'session',
      message: 'The box does not know this session. Pair or sign in again; what is on the tablet stays there.',
    });
  }
  // A session that ended delivers; only the code gives the tablet another one.
  const hasEnded = found?.ended !== undefined;
  const held = hasEnded && credentials.code !== undefined ? undefined : found;
  if (held === undefined)
    context.pairing.admit(device.id, credentials.code, address, hasEnded ? 'code' : 'code or pairing');
  // A tablet that was revoked stays so under another id.
  else if (held.ended === 'revoked' && held.deviceId !== device.id) context.sessions.end(held, 'revoked');
  const claimed = held?.ended === undefined ? await personOf(context, credentials.token, held) : null;
  // A revoked tablet or person still delivers its data: admitted without a person.
  const notice =
    (held?.ended === undefined ? revokedSignIn(context.reference, claimed, device.id) : undefined) ??
    (claimed === null ? held?.revokedReason : undefined);
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
  // Photographs must not wait for a token that only the shore renews.
  if (held !== undefined) return held.person;
  throw new ReefError('unauthorised', {
    field: 'token',
    message: 'The token is older than the box accepts. Sign in again, here or ashore.',
  });
}
