import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import { isObject } from '../../../../src/domain/json';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import type { PopupMessage, ProvenReply, WindowStartReply } from '../../../../src/protocol/accounts';
import { windowFinishSchema, windowStartSchema } from '../../../../src/protocol/accounts';
import { toReefError } from '../../../../src/server/http/errors';
import { parseForm, parseInput } from '../../../../src/server/http/parse';
import { sendPage } from '../../../../src/server/pages/page';
import type { CloudContext } from '../../context';
import { AUTH_LIMITS } from '../auth-limits';
import { POPUP_POLICY, expiredSignInPage, popupPage } from '../providers/popup-page';
import { findSession } from '../sessions/require-session';
import { normalizeEmail } from '../sign-in/email';
import { networkOf } from '../sign-in/network';
import type { WindowPage } from './window-pages';
import { WINDOW_PATH, WINDOW_POLICY, windowPage } from './window-pages';
import type { WindowProof } from './window-sign-ins';

const GUESSES = { config: { rateLimit: { max: AUTH_LIMITS.guessesPerMinute, timeWindow: 60_000 } } };
const FORM_BYTES_MAX = 4000;

const querySchema = z.looseObject({ state: z.string().max(200), email: z.string().max(254).default('') });
const formSchema = z.object({
  state: z.string().max(200),
  step: z.enum(['start', 'mail', 'code', 'use-password', 'password']),
  email: z.string().max(254).default(''),
  code: z.string().max(40).default(''),
  password: z.string().max(200).default(''),
});
type WindowForm = z.infer<typeof formSchema>;

/**
 * Routes to sign in with an address on a page of the cloud, in a window that an app of another origin opens: such an app
 * comes from a box, which must see neither password nor code. As with providers, the window's ticket goes to the page
 * that began, and only that page signs in with it.
 */
export function windowRoutes(app: FastifyInstance, { accounts, origins }: CloudContext): void {
  const { windowSignIns, codes, emailAccounts, accountCreation, sessions } = accounts;

  app.post(`${WINDOW_PATH}/start`, GUESSES, async (request, reply) => {
    const { origin } = parseInput(windowStartSchema, request.body);
    const isOwn = origins.allows(origin) && (request.headers.origin === undefined || request.headers.origin === origin);
    if (!isOwn || !URL.canParse(origin))
      throw new ReefError('forbidden', {
        field: 'origin',
        auth: 'auth/unauthorized-domain',
        message: AUTH_MESSAGES['auth/unauthorized-domain'],
      });
    const answer: WindowStartReply = { ok: true, state: await windowSignIns.start(origin) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post(`${WINDOW_PATH}/finish`, GUESSES, async (request, reply) => {
    const { ticket } = parseInput(windowFinishSchema, request.body);
    const session = await findSession(request, accounts);
    const proof = await windowSignIns.redeemTicket(ticket);
    const token =
      'token' in proof
        ? proof.token
        : await sessions.issueCustomToken((await accountCreation.upgradeOrFind(session, proof.email)).uid);
    const answer: ProvenReply = { ok: true, token };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  /** Proof of a code or password. @throws ReefError from either */
  const proofOf = async (
    request: FastifyRequest,
    { step, email: typed, code, password }: WindowForm,
  ): Promise<WindowProof> => {
    const asker = { email: normalizeEmail(typed), network: networkOf(request.ip) };
    if (step === 'password') return { token: await emailAccounts.signIn(asker, password) };
    await codes.consume('login', asker, code.replace(/\s+/g, ''));
    return { email: asker.email };
  };

  /** Executes a step; returns the next page, or the proof. @throws ReefError */
  const advance = async (request: FastifyRequest, form: WindowForm): Promise<WindowPage['step'] | WindowProof> => {
    switch (form.step) {
      case 'start':
        return 'email';
      case 'use-password':
        normalizeEmail(form.email);
        return 'password';
      case 'mail':
        await mailCode(app, request, form.email);
        return 'code';
      default:
        return proofOf(request, form);
    }
  };

  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: FORM_BYTES_MAX },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );

    scope.get(WINDOW_PATH, GUESSES, async (request, reply) => {
      const { state, email } = parseInput(querySchema, { ...(request.query as object) }, 'query');
      const origin = await windowSignIns.originOf(state);
      if (origin === undefined) return sendWindow(reply, expiredSignInPage(), 400);
      return sendWindow(reply, windowPage({ state, origin, email, step: 'email', problem: null }));
    });

    scope.post(WINDOW_PATH, GUESSES, async (request, reply) => {
      const form = parseForm(formSchema, request.body);
      const { state, email } = form;
      const origin = await windowSignIns.originOf(state);
      if (origin === undefined) return sendWindow(reply, expiredSignInPage(), 400);
      const show = (step: WindowPage['step'], problem: string | null, status = 200): FastifyReply =>
        sendWindow(reply, windowPage({ state, origin, email, step, problem }), status);
      try {
        const next = await advance(request, form);
        if (typeof next === 'string') return show(next, null);
        const { ticket } = await windowSignIns.issueTicket(state, next);
        const message: PopupMessage = { source: 'reef-sign-in', state, ticket };
        void reply.header('Content-Security-Policy', POPUP_POLICY).header('Referrer-Policy', 'no-referrer');
        return await sendPage(reply, popupPage(message, origin));
      } catch (error) {
        const { status, message } = toReefError(error);
        if (status >= 500) throw error;
        return show(form.step === 'code' || form.step === 'password' ? form.step : 'email', message, status);
      }
    });
  });
}

/** Mails a code by the call that everyone uses, with its limits and its one answer. @throws ReefError from it */
async function mailCode(app: FastifyInstance, request: FastifyRequest, email: string): Promise<void> {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/fn/send-user-login-code',
    remoteAddress: request.ip,
    payload: { email, path: '/' },
  });
  if (answer.statusCode < 400) return;
  const body: unknown = answer.json();
  throw ReefError.fromWire(isObject(body) && isObject(body['error']) ? body['error'] : {});
}

function sendWindow(reply: FastifyReply, content: Parameters<typeof sendPage>[1], status = 200): FastifyReply {
  // Without any referrer a browser names no origin with the forms either.
  void reply.header('Content-Security-Policy', WINDOW_POLICY).header('Referrer-Policy', 'same-origin');
  return sendPage(reply, content, status);
}
