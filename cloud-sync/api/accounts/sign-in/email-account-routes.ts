import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PersonId } from '../../../../src/domain/ids';
import type { ProvenReply } from '../../../../src/protocol/accounts';
import {
  changeEmailSchema,
  changePasswordSchema,
  confirmEmailSchema,
  confirmResetSchema,
  createAccountSchema,
  passwordSignInSchema,
  sendResetSchema,
  verifyResetSchema,
} from '../../../../src/protocol/accounts';
import { parseInput } from '../../../../src/server/http/parse';
import {
  addressChangedMail,
  addressTakenMail,
  newAddressMail,
  noAccountMail,
  passwordChangedMail,
  resetMail,
} from '../mail/code-mails';
import { normalizeEmail } from './email';
import { domainsOfHandle } from '../people/handles';
import { AUTH_LIMITS } from '../auth-limits';
import { codeRefusedError } from './mailed-codes';
import { storedName } from '../people/stored-name';
import { networkOf } from './network';
import { checkPassword } from './passwords';
import { findSession, requireRecentSession, requireSession } from '../sessions/require-session';
import type { CloudContext } from '../../context';
import type { Mail } from '../mail/mailer';

const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });
const SENDS = perMinute(AUTH_LIMITS.sendsPerMinute);
const PASSWORDS = perMinute(AUTH_LIMITS.passwordsPerMinute);

/** Routes of accounts by address and password (1§4, 1§7, 2§5, 2§7; messages of 2§8). */
export function emailAccountRoutes(app: FastifyInstance, context: CloudContext): void {
  const { accounts, mailer, settings, log, database, clock } = context;
  const { people, codes, emailAccounts, sessions } = accounts;
  const site = settings.publicUrl ?? settings.cloudUrl;
  const home = site === null ? null : new URL('/', site).href;
  const send = (mail: Mail): Promise<void> => mailer.send(mail, AUTH_LIMITS.sendTimeoutMs);
  const sendCustomTokenOf = async (reply: FastifyReply, uid: PersonId): Promise<FastifyReply> =>
    sendCustomToken(reply, await sessions.issueCustomToken(uid));
  /** Sends a notice without awaiting it: the change is done whether or not the mail goes out. */
  const notify = (mail: Mail): void =>
    void send(mail).catch((error: unknown) => log.warn({ err: error }, 'a notice was not mailed'));

  app.post('/api/fn/create-account', PASSWORDS, async (request, reply) => {
    const { email, password, name, handle } = parseInput(createAccountSchema, request.body);
    const session = await findSession(request, accounts);
    return sendCustomTokenOf(
      reply,
      await emailAccounts.create({
        email: normalizeEmail(email),
        password: password ?? null,
        name: storedName(name),
        domains: await domainsOfHandle(database.pool, handle),
        anonymous: session?.person.uid ?? null,
      }),
    );
  });

  app.post('/api/fn/sign-in-with-password', PASSWORDS, async (request, reply) => {
    const { email, password } = parseInput(passwordSignInSchema, request.body);
    return sendCustomToken(reply, await emailAccounts.signIn(attemptSource(request, email), password));
  });

  // Known and unknown addresses are treated alike: each gets a mail and the same answer.
  app.post('/api/fn/send-password-reset', SENDS, async (request): Promise<{ ok: true }> => {
    const asker = attemptSource(request, parseInput(sendResetSchema, request.body).email);
    const code = await codes.issue('reset', asker);
    // A valid code is already in the mailbox.
    if (code === null) return { ok: true };
    const known = (await people.byEmail(asker.email)) !== undefined;
    if (known && settings.demo) log.info({ code: code.code }, 'demo: a code for a new password');
    await send(known ? resetMail(asker.email, code, home) : noAccountMail(asker.email, home));
    return { ok: true };
  });

  app.post(
    '/api/fn/verify-password-reset',
    perMinute(AUTH_LIMITS.guessesPerMinute),
    async (request): Promise<{ ok: true }> => {
      const { email, verificationCode } = parseInput(verifyResetSchema, request.body);
      await codes.check('reset', attemptSource(request, email), verificationCode);
      return { ok: true };
    },
  );

  app.post('/api/fn/confirm-password-reset', PASSWORDS, async (request, reply) => {
    const { email, verificationCode, password } = parseInput(confirmResetSchema, request.body);
    const asker = attemptSource(request, email);
    // Checked first, so that an invalid password does not consume the code.
    checkPassword(password);
    await codes.consume('reset', asker, verificationCode);
    const person = await people.byEmail(asker.email);
    // No code was mailed to an address without an account.
    if (person === undefined) throw codeRefusedError();
    await emailAccounts.resetPassword(person.uid, asker.email, password);
    notify(passwordChangedMail(asker.email, home));
    return sendCustomTokenOf(reply, person.uid);
  });

  app.post('/api/account/password', PASSWORDS, async (request): Promise<{ ok: true }> => {
    const { password, current } = parseInput(changePasswordSchema, request.body);
    const session = await requireSession(request, accounts);
    await emailAccounts.changePassword(session, networkOf(request.ip), { password, current: current ?? null });
    // An unconfirmed address may be someone else's, who should get no mail.
    if (session.person.isEmailVerified) notify(passwordChangedMail(session.person.email, home));
    return { ok: true };
  });

  app.post('/api/account/email', SENDS, async (request): Promise<{ ok: true }> => {
    const asker = attemptSource(request, parseInput(changeEmailSchema, request.body).email);
    const { uid } = (await requireRecentSession(request, accounts, clock())).person;
    const code = await codes.issue('email', { ...asker, uid });
    const other = await people.byEmail(asker.email);
    if (code === null) return { ok: true };
    await send(
      other === undefined || other.uid === uid
        ? newAddressMail(asker.email, code, home)
        : addressTakenMail(asker.email, home),
    );
    return { ok: true };
  });

  app.post(
    '/api/account/email/confirm',
    perMinute(AUTH_LIMITS.guessesPerMinute),
    async (request): Promise<{ ok: true }> => {
      const { email, verificationCode } = parseInput(confirmEmailSchema, request.body);
      const asker = attemptSource(request, email);
      // The code may take its whole life to arrive.
      const session = await requireRecentSession(request, accounts, clock(), AUTH_LIMITS.codeLifeMs);
      await codes.consume('email', { ...asker, uid: session.person.uid }, verificationCode);
      const before = await emailAccounts.changeEmail(session, asker.email);
      if (before !== null) notify(addressChangedMail(before, home));
      return { ok: true };
    },
  );
}

/** @throws ReefError `bad-message` {auth: 'auth/invalid-email'} */
function attemptSource(request: FastifyRequest, typed: string): { readonly email: string; readonly network: string } {
  return { email: normalizeEmail(typed), network: networkOf(request.ip) };
}

function sendCustomToken(reply: FastifyReply, token: string): FastifyReply {
  const answer: ProvenReply = { ok: true, token };
  return reply.header('Cache-Control', 'no-store').send(answer);
}
