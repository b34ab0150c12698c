import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../src/domain/errors';
import type { SignInReply } from '../../src/protocol/edge-http';
import { profileUpdateSchema, signInSchema } from '../../src/protocol/edge-http';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { isoNow } from '../context';
import type { PersonRow } from '../store/box-state';
import { revokedSignIn } from './revoked-sign-in';
import { tabletIdFor } from './tablet-id';
import { parseInput } from '../../src/server/http/parse';

const PER_MINUTE = { rateLimit: { max: 120, timeWindow: 60_000 } };

/**
 * The edge's own sign-in, for people who were never online (protocol, Edge HTTP). Their address is an unproven claim,
 * so the same address on another tablet is another person until they are ashore. A tablet that comes with the code alone
 * reads once it proves its key in `verify`.
 */
export function signInRoutes(app: FastifyInstance, context: EdgeContext): void {
  app.post('/edge/sign-in', { config: PER_MINUTE }, async (request): Promise<SignInReply> => {
    const { email, name, device, code } = parseInput(signInSchema, request.body);
    const { session: caller } = request.caller;
    // A paired tablet shows its session; another the code.
    const held = caller?.ended === undefined ? caller : null;
    const deviceId = held?.deviceId ?? tabletIdFor(context.state, device.id, null);
    const ended = revokedSignIn(context.reference, null, device.id) ?? revokedSignIn(context.reference, null, deviceId);
    if (ended !== undefined) throw new ReefError('forbidden', { field: 'device', message: ended });
    if (held === null) context.pairing.admit(device.id, code, request.ip);
    const known = context.state.person(deviceId, email.toLowerCase());
    const person = known === undefined ? context.people.newPerson() : { uid: known.uid, nonce: undefined };
    const row: PersonRow = {
      uid: person.uid,
      deviceId,
      email: email.toLowerCase(),
      first: name.first,
      last: name.last,
    };
    const now = isoNow(context);
    context.state.pairDevice({ id: deviceId, name: device.name }, now);
    context.state.savePerson(row, person.nonce);
    context.people.update(row.uid);
    context.time.commit(context.clock());
    const user = userOf(row);
    return { ok: true, session: context.sessions.create(deviceId, user, now, held?.key).token, user };
  });

  app.post('/edge/profile', async (request): Promise<{ ok: true; user: EdgeUser }> => {
    const { session } = request.caller;
    if (session === null || session.person === null) throw new ReefError('unauthorised');
    if (!session.person.pending)
      throw new ReefError('forbidden', {
        message: 'This person signed in ashore. Their profile is changed by an operation.',
      });
    const { email, name } = parseInput(profileUpdateSchema, request.body);
    const { person } = session;
    const row: PersonRow = {
      uid: person.uid,
      // Stored under the tablet's device id at sign-in, which may have changed since.
      deviceId: context.state.personOf(person.uid)?.deviceId ?? session.deviceId,
      email: (email ?? person.email).toLowerCase(),
      first: name?.first ?? person.name.first,
      last: name?.last ?? person.name.last,
    };
    const other = context.state.person(row.deviceId, row.email);
    if (other !== undefined && other.uid !== row.uid)
      throw new ReefError('bad-message', { field: 'email', message: 'Someone else uses this address on this tablet.' });
    context.state.savePerson(row);
    context.people.update(row.uid);
    const user = userOf(row);
    context.sessions.update(session, session.deviceId, user);
    return { ok: true, user };
  });

  /** Statements about this box's pending people, for the bridge. */
  app.get('/edge/people', async (_request, reply) =>
    reply.header('Cache-Control', 'no-store').send({ ok: true, ...context.people.people() }),
  );

  /** Signs the person out. The session stays the tablet's credential, for unsent photographs. */
  app.post('/edge/disconnect', async (request): Promise<{ ok: true }> => {
    const { session } = request.caller;
    if (session !== null) context.sessions.update(session, session.deviceId, null);
    return { ok: true };
  });
}

function userOf(row: PersonRow): EdgeUser {
  return { uid: row.uid, email: row.email, name: { first: row.first, last: row.last }, pending: true };
}
