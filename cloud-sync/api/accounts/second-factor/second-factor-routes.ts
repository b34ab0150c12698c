import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import type { MeReply } from '../../../../src/protocol/cloud-auth';
import type {
  CodesSetupReply,
  FactorStartReply,
  PasskeySetupReply,
  RecoveryCodesReply,
  SecondFactorReply,
} from '../../../../src/protocol/second-factor';
import {
  addPasskeySchema,
  confirmCodesSchema,
  passFactorSchema,
  removeFactorSchema,
} from '../../../../src/protocol/second-factor';
import { parseInput } from '../../../../src/server/http/parse';
import { AUTH_LIMITS } from '../auth-limits';
import { secondFactorMail } from '../mail/code-mails';
import { personIdSchema } from '../people/admin-routes';
import { unknownPersonError } from '../people/administration';
import { requireSession } from '../sessions/require-session';
import { networkOf } from '../sign-in/network';
import { passkeySite, requirePasskeySite } from './passkey-site';
import type { CloudContext } from '../../context';

const GUESSES = { config: { rateLimit: { max: AUTH_LIMITS.guessesPerMinute, timeWindow: 60_000 } } };

/** Routes of the second factor: to pass it, to set it up and remove it, and its reset by staff. */
export function secondFactorRoutes(app: FastifyInstance, { accounts, mailer, settings, log }: CloudContext): void {
  const { people, secondFactors, passkeys } = accounts;
  const site = settings.publicUrl ?? settings.cloudUrl;
  const sessionOf = (request: FastifyRequest) => requireSession(request, accounts);
  /** Mails a notice without awaiting it: the change is done whether or not the mail goes out. */
  const notify = (email: string, change: string): void =>
    void mailer
      .send(secondFactorMail(email, change, site === null ? null : new URL('/', site).href), AUTH_LIMITS.sendTimeoutMs)
      .catch((error: unknown) => log.warn({ err: error }, 'a notice was not mailed'));
  const logDemoCode = (code: string | null): void => {
    if (settings.demo && code !== null) log.info({ code }, 'demo: a one-time code');
  };

  app.get('/api/account/second-factor', async (request, reply) => {
    const { person } = await sessionOf(request);
    const answer: SecondFactorReply = {
      ok: true,
      ...(await secondFactors.overview(person.uid)),
      passkeys: await passkeys.list(person.uid),
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/codes', GUESSES, async (request, reply) => {
    const session = await sessionOf(request);
    const answer: CodesSetupReply = { ok: true, ...(await secondFactors.beginCodes(session)) };
    if (settings.demo) logDemoCode(await secondFactors.demoCode(session.person.uid, session.id));
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/codes/confirm', GUESSES, async (request, reply) => {
    const { code } = parseInput(confirmCodesSchema, request.body);
    const session = await sessionOf(request);
    const recoveryCodes = await secondFactors.confirmCodes(session, networkOf(request.ip), code);
    notify(session.person.email, 'One-time codes of an app were set up as its second step.');
    const answer: RecoveryCodesReply = { ok: true, recoveryCodes };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/passkeys', GUESSES, async (request, reply) => {
    const session = await sessionOf(request);
    const site = requirePasskeySite(request, settings);
    const answer: PasskeySetupReply = { ok: true, options: { ...(await passkeys.beginAdding(session, site)) } };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/passkeys/confirm', GUESSES, async (request, reply) => {
    const { name, response } = parseInput(addPasskeySchema, request.body);
    const session = await sessionOf(request);
    const site = requirePasskeySite(request, settings);
    const recoveryCodes = await passkeys.add(session, site, {
      name,
      response: response as unknown as RegistrationResponseJSON,
    });
    notify(session.person.email, `The passkey “${name}” was added to its second step.`);
    const answer: RecoveryCodesReply = { ok: true, recoveryCodes };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/recovery', GUESSES, async (request, reply) => {
    const session = await sessionOf(request);
    const recoveryCodes = await secondFactors.renewRecoveryCodes(session);
    notify(session.person.email, 'It has new recovery codes; the earlier ones no longer count.');
    const answer: RecoveryCodesReply = { ok: true, recoveryCodes };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/account/second-factor/remove', GUESSES, async (request): Promise<{ ok: true }> => {
    const wanted = parseInput(removeFactorSchema, request.body);
    const session = await sessionOf(request);
    await (wanted.way === 'codes' ? secondFactors.removeCodes(session) : passkeys.remove(session, wanted.id));
    notify(
      session.person.email,
      `${wanted.way === 'codes' ? 'One-time codes of an app were' : 'A passkey was'} removed from its second step.`,
    );
    return { ok: true };
  });

  app.post('/api/auth/second-factor/start', GUESSES, async (request, reply) => {
    const session = await sessionOf(request);
    const { person } = session;
    const { codes } = await secondFactors.overview(person.uid);
    const site = passkeySite(request, settings);
    const options = site === null ? null : await passkeys.beginPassing(session, site);
    if (settings.demo) logDemoCode(await secondFactors.demoCode(person.uid));
    const answer: FactorStartReply = { ok: true, codes, passkey: options === null ? null : { ...options } };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/auth/second-factor', GUESSES, async (request, reply) => {
    const { code, recoveryCode, passkey } = parseInput(passFactorSchema, request.body);
    const session = await sessionOf(request);
    const network = networkOf(request.ip);
    if (code !== undefined) await secondFactors.passWithCode(session, network, code);
    else if (recoveryCode !== undefined) {
      await secondFactors.passWithRecoveryCode(session, network, recoveryCode);
      notify(session.person.email, 'A recovery code was used for its second step.');
    } else if (passkey !== undefined) {
      const site = requirePasskeySite(request, settings);
      await passkeys.pass(session, site, passkey as unknown as AuthenticationResponseJSON);
    } else throw new ReefError('bad-message', { field: 'code' });
    const { person } = await sessionOf(request);
    const answer: MeReply = { ok: true, user: await people.toCloudUser(person) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post<{ Params: { uid: string } }>(
    '/api/admin/users/:uid/second-factor/reset',
    async (request): Promise<{ ok: true }> => {
      const uid = parseInput(personIdSchema, request.params.uid, 'uid');
      const by = await sessionOf(request);
      if (by.person.uid === uid)
        throw new ReefError('forbidden', { field: 'uid', message: 'Ask another person of the staff for this.' });
      const person = await people.byId(uid);
      if (person === undefined) throw unknownPersonError(uid);
      await secondFactors.reset(person.uid, by.person.uid);
      notify(person.email, 'Staff removed its second step, and ended its sign-ins.');
      return { ok: true };
    },
  );
}
