import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import { LIMITS } from '../../../../src/domain/limits';
import type { MeReply, SessionReply, TokenReply } from '../../../../src/protocol/cloud-auth';
import { customTokenSchema, signOutSchema } from '../../../../src/protocol/cloud-auth';
import type { DeviceRegistration } from '../../../../src/protocol/cloud-http';
import { deviceRegistrationSchema, deviceRevocationSchema } from '../../../../src/protocol/cloud-http';
import { deviceKeyFormSchema, isDeviceAnswer } from '../../../../src/protocol/device-answer';
import { parseInput } from '../../../../src/server/http/parse';
import { verifySignature } from '../../../../src/server/ops/receipt-signer';
import { bearerToken } from './bearer-token';
import type { DevicesReply } from './devices';
import { AUTH_LIMITS } from '../auth-limits';
import { requireSession } from './require-session';
import type { SignedToken } from './tokens';
import type { CloudContext } from '../../context';

const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });

/** Routes of a session: its start and end, its tokens, and the tablets of its person (protocol, Cloud HTTP; 1§4, 1§7). */
export function sessionRoutes(app: FastifyInstance, context: CloudContext): void {
  const { accounts } = context;
  const { people, sessions, tokens, devices, deviceKeys, callers } = accounts;

  app.post('/api/auth/custom-token', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const { token, handle } = parseInput(customTokenSchema, request.body);
    const { session } = await sessions.exchange(token);
    let opened = await sessions.find(session);
    if (opened !== undefined && handle) {
      await people.joinByHandle(opened.person.uid, handle);
      opened = await sessions.find(session);
    }
    if (opened === undefined) throw new ReefError('unauthorised', { field: 'token' });
    const answer: SessionReply = { ok: true, session, user: await people.toCloudUser(opened.person) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.get('/api/auth/jwks', async (_request, reply) =>
    reply.header('Cache-Control', 'no-cache').send(await tokens.jwks()),
  );

  app.get('/api/auth/token', async (request, reply) =>
    reply
      .header('Cache-Control', 'no-store')
      .send(tokenReply(await tokens.forCloud(await requireSession(request, accounts)))),
  );

  app.get('/api/auth/edge-token', async (request, reply) => {
    const { person, deviceKey } = await requireSession(request, accounts);
    return reply
      .header('Cache-Control', 'no-store')
      .send(tokenReply(await tokens.forEdge(await people.toCloudUser(person), person, deviceKey)));
  });

  app.post('/api/auth/key', perMinute(AUTH_LIMITS.guessesPerMinute), async (request): Promise<{ ok: true }> => {
    const { key, answer } = parseInput(deviceKeyFormSchema, request.body);
    const session = await requireSession(request, accounts);
    const challenge = { node: context.store.identity.nodeId, challenge: bearerToken(request) ?? '', key };
    if (!(await isDeviceAnswer(challenge, answer, verifySignature)))
      throw new ReefError('unauthorised', { field: 'answer', message: 'This is not an answer of the key.' });
    await deviceKeys.certify(session, key);
    callers.clearCache();
    await context.intake.onDeviceKnown(session.person.uid);
    return { ok: true };
  });

  app.post('/api/auth/sign-out', async (request): Promise<{ ok: true }> => {
    const { everywhere } = parseInput(signOutSchema, request.body ?? {});
    const { id, person } = await requireSession(request, accounts);
    await (everywhere === true ? sessions.endAll(person.uid) : sessions.end(id));
    callers.clearCache();
    return { ok: true };
  });

  app.get('/api/me', async (request, reply) => {
    const { person } = await requireSession(request, accounts);
    const answer: MeReply = { ok: true, user: await people.toCloudUser(person) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/devices', async (request, reply) => {
    const { device, before } = parseInput(deviceRegistrationSchema, request.body);
    const session = await requireSession(request, accounts);
    const credential = await devices.register(session, device, before);
    await context.intake.onDeviceKnown(session.person.uid);
    const { nodeId, storeEpoch } = context.store.identity;
    const answer: DeviceRegistration = {
      ok: true,
      credential,
      cloud: { id: nodeId, storeEpoch },
      receiptKeys: context.receiptKey.publicKeys,
      traceKeys: context.traceKey.publicKeys,
      limits: { chunkBytes: LIMITS.chunkBytesMax, imageBytes: LIMITS.imageBytesMax },
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.get('/api/devices', async (request): Promise<DevicesReply> => {
    const { id, person } = await requireSession(request, accounts);
    return { ok: true, devices: await devices.listByPerson(person.uid, id) };
  });

  app.post('/api/devices/revoke', async (request): Promise<{ ok: true }> => {
    const { device } = parseInput(deviceRevocationSchema, request.body);
    const { id, person } = await requireSession(request, accounts);
    const by = person.staff ? null : person.uid;
    if (!(await devices.revoke(device.id, by, id)))
      throw new ReefError('not-found', { message: 'No tablet of yours has this id.' });
    await deviceKeys.revokeTablet(device.id, by);
    callers.clearCache();
    return { ok: true };
  });
}

function tokenReply({ token, expiresAt }: SignedToken): TokenReply {
  return { ok: true, token, expiresAt: new Date(expiresAt).toISOString() };
}
