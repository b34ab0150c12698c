import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import { LIMITS } from '../../../../src/domain/limits';
import type { CustomTokenReply, MeReply, SessionReply, TokenReply } from '../../../../src/protocol/cloud-auth';
import {
  customTokenSchema,
  sendLoginCodeSchema,
  signOutSchema,
  verifyLoginCodeSchema,
} from '../../../../src/protocol/cloud-auth';
import type { DeviceRegistration } from '../../../../src/protocol/cloud-http';
import { deviceRegistrationSchema, deviceRevocationSchema } from '../../../../src/protocol/cloud-http';
import { parseInput } from '../../../../src/server/http/parse';
import { codeMail } from '../mail/code-mails';
import type { ListedDevice } from './devices';
import { normalizeEmail, sitePageUrl } from '../sign-in/email';
import { AUTH_LIMITS } from '../auth-limits';
import { networkOf } from '../sign-in/network';
import { findSession, requireSession } from './require-session';
import type { SignedToken } from './tokens';
import type { CloudContext } from '../../context';

const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });

/**
 * Routes of sign-in by mailed code and of the signed-in person: profile, tokens, tablets (protocol, Cloud HTTP; 1§4,
 * 1§7).
 */
export function accountRoutes(app: FastifyInstance, context: CloudContext): void {
  const { accounts, mailer, settings, log } = context;
  const { people, accountCreation, codes, sessions, tokens, devices, callers } = accounts;
  const site = settings.publicUrl ?? settings.cloudUrl;

  // Known and unknown addresses are treated alike: each gets its mail, and an account is created when the code comes
  // back.
  app.post(
    '/api/fn/send-user-login-code',
    perMinute(AUTH_LIMITS.sendsPerMinute),
    async (request): Promise<{ ok: true }> => {
      const { email: typed, path } = parseInput(sendLoginCodeSchema, request.body);
      const email = normalizeEmail(typed);
      const code = await codes.issue('login', { email, network: networkOf(request.ip) });
      // A valid code is already in the mailbox.
      if (code === null) return { ok: true };
      if (settings.demo) log.info({ code: code.code }, 'demo: a login code');
      await mailer.send(
        codeMail(email, code, site === null ? null : sitePageUrl(path, site)),
        AUTH_LIMITS.sendTimeoutMs,
      );
      return { ok: true };
    },
  );

  app.post('/api/fn/verify-user-login-code', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const { email: typed, verificationCode } = parseInput(verifyLoginCodeSchema, request.body);
    const email = normalizeEmail(typed);
    const session = await findSession(request, accounts);
    await codes.consume('login', { email, network: networkOf(request.ip) }, verificationCode);
    const { uid } = await accountCreation.upgradeOrFind(session, email);
    const answer: CustomTokenReply = { ok: true, token: await sessions.issueCustomToken(uid) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/auth/custom-token', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const { token } = parseInput(customTokenSchema, request.body);
    const { uid, session } = await sessions.exchange(token);
    const person = await people.byId(uid);
    if (person === undefined) throw new ReefError('unauthorised', { field: 'token' });
    const answer: SessionReply = { ok: true, session, user: await people.toCloudUser(person) };
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
    const { person } = await requireSession(request, accounts);
    return reply
      .header('Cache-Control', 'no-store')
      .send(tokenReply(await tokens.forEdge(await people.toCloudUser(person), person)));
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
    await context.intake.onDeviceRegistered(session.person.uid);
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

  app.get('/api/devices', async (request): Promise<{ ok: true; devices: readonly ListedDevice[] }> => ({
    ok: true,
    devices: await devices.listByPerson((await requireSession(request, accounts)).person.uid),
  }));

  app.post('/api/devices/revoke', async (request): Promise<{ ok: true }> => {
    const { device } = parseInput(deviceRevocationSchema, request.body);
    const { person } = await requireSession(request, accounts);
    if (!(await devices.revoke(device.id, person.staff ? null : person.uid)))
      throw new ReefError('not-found', { message: 'No tablet of yours has this id.' });
    callers.clearCache();
    return { ok: true };
  });
}

function tokenReply({ token, expiresAt }: SignedToken): TokenReply {
  return { ok: true, token, expiresAt: new Date(expiresAt).toISOString() };
}
