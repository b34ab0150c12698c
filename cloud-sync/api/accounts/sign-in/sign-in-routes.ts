import type { FastifyInstance } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import type { ProvenReply } from '../../../../src/protocol/accounts';
import { anonymousSignInSchema, sendLinkSchema, verifyLinkSchema } from '../../../../src/protocol/accounts';
import type { CustomTokenReply } from '../../../../src/protocol/cloud-auth';
import { sendLoginCodeSchema, verifyLoginCodeSchema } from '../../../../src/protocol/cloud-auth';
import { parseInput } from '../../../../src/server/http/parse';
import { normalizeEmail, signInLinkUrl, sitePageUrl } from './email';
import { domainsOfHandle } from '../people/handles';
import { AUTH_LIMITS } from '../auth-limits';
import { codeMail } from '../mail/code-mails';
import { linkMail } from '../mail/link-mail';
import { networkOf } from './network';
import { findSession } from '../sessions/require-session';
import type { CloudContext } from '../../context';

const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });

/** Routes of anonymous sign-in and of sign-in by mailed code or link (1§4, 1§6, 1§7, 3§4). */
export function signInRoutes(app: FastifyInstance, { accounts, mailer, settings, database, log }: CloudContext): void {
  const { accountCreation, codes, mailLinks, sessions } = accounts;
  const site = settings.publicUrl ?? settings.cloudUrl;

  app.post('/api/fn/sign-in-anonymously', perMinute(AUTH_LIMITS.sendsPerMinute), async (request, reply) => {
    const { handle } = parseInput(anonymousSignInSchema, request.body);
    const made = await accountCreation.create({
      email: null,
      isEmailVerified: false,
      anonymous: true,
      domains: await domainsOfHandle(database.pool, handle),
    });
    if (made === undefined) throw new ReefError('internal');
    const answer: ProvenReply = { ok: true, token: await sessions.issueCustomToken(made.uid) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

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

  // Known and unknown addresses are treated alike, as with codes.
  app.post(
    '/api/fn/sendauthenticationlink',
    perMinute(AUTH_LIMITS.sendsPerMinute),
    async (request): Promise<{ ok: true }> => {
      const { email: typed, path } = parseInput(sendLinkSchema, request.body);
      const email = normalizeEmail(typed);
      // The link must use the public address of this service, never one named by a request.
      if (site === null)
        throw new ReefError('not-found', {
          auth: 'auth/operation-not-allowed',
          message: AUTH_MESSAGES['auth/operation-not-allowed'],
        });
      const token = await mailLinks.create({ email, network: networkOf(request.ip) });
      if (token !== null)
        await mailer.send(linkMail(email, signInLinkUrl(site, { email, token, path })), AUTH_LIMITS.sendTimeoutMs);
      return { ok: true };
    },
  );

  app.post('/api/fn/verify-authentication-link', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const { email: typed, token } = parseInput(verifyLinkSchema, request.body);
    const email = normalizeEmail(typed);
    const session = await findSession(request, accounts);
    await mailLinks.consume(email, token);
    const { uid } = await accountCreation.upgradeOrFind(session, email);
    const answer: ProvenReply = { ok: true, token: await sessions.issueCustomToken(uid) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });
}
