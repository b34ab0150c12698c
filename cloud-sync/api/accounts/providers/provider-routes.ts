import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../../../src/domain/errors';
import { ANALYSIS_MESSAGES, AUTH_MESSAGES } from '../../../../src/domain/messages';
import type { AuthCode } from '../../../../src/domain/messages';
import type {
  PopupMessage,
  ProviderFinishReply,
  ProviderId,
  ProviderStartReply,
  ProvidersReply,
} from '../../../../src/protocol/accounts';
import { PROVIDERS, providerFinishSchema, providerStartSchema } from '../../../../src/protocol/accounts';
import { sendPage } from '../../../../src/server/pages/page';
import type { Html } from '../../../../src/server/pages/html';
import { parseInput } from '../../../../src/server/http/parse';
import { AUTH_LIMITS } from '../auth-limits';
import { ProviderUnavailableError, ProviderRefusedError } from './call-provider';
import type { ProviderClient, SignInSecrets } from './protocols';
import { authorizationUrl, fetchIdentity, providerName } from './protocols';
import { findSession, requireRecentSession } from '../sessions/require-session';
import type { CloudContext } from '../../context';
import { POPUP_POLICY, popupPage, expiredSignInPage } from './popup-page';

const perMinute = (max: number) => ({ config: { rateLimit: { max, timeWindow: 60_000 } } });

const paramsSchema = z.object({ id: z.string() });
/** Query of a provider's redirect; other parameters are the provider's own. */
const answerSchema = z.looseObject({
  state: z.string().max(200),
  code: z.string().min(1).max(4096).optional(),
  error: z.string().max(200).optional(),
});

function notOfferedError(): ReefError {
  return new ReefError('not-found', { field: 'id', ...authError('auth/operation-not-allowed') });
}

/** Routes to sign in with Google, Facebook, Twitter and GitHub in a popup, and to link and unlink them (1§4). */
export function providerRoutes(app: FastifyInstance, context: CloudContext): void {
  const { accounts, settings, origins, log, clock } = context;
  const { providerSignIns, identities, sessions, emailAccounts } = accounts;
  const site = settings.publicUrl ?? settings.cloudUrl;

  const isOffered = (id: ProviderId): boolean => site !== null && settings.providers[id] !== undefined;

  /**
   * @throws ReefError `not-found` {auth: 'auth/operation-not-allowed'} for an unknown provider or one that is not
   * configured
   */
  const requestedProvider = (
    request: FastifyRequest,
  ): ProviderClient & { readonly id: ProviderId; readonly site: URL } => {
    const named = paramsSchema.parse(request.params).id;
    const id = PROVIDERS.find((one) => one === named);
    const provider = id === undefined ? undefined : settings.providers[id];
    if (id === undefined || provider === undefined || site === null) throw notOfferedError();
    return { id, site, settings: provider, redirectUri: new URL(`/api/auth/providers/${id}/callback`, site).href };
  };

  app.get('/api/auth/providers', async (request, reply) => {
    const session = await findSession(request, accounts);
    const linked = session === null ? [] : await identities.providersOf(session.person.uid);
    const answer: ProvidersReply = {
      ok: true,
      password: session !== null && (await emailAccounts.hasOwnPassword(session.person.uid)),
      providers: PROVIDERS.filter(isOffered).map((id) => ({ id, name: providerName(id), linked: linked.includes(id) })),
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/auth/providers/:id/start', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const provider = requestedProvider(request);
    const { mode, origin } = parseInput(providerStartSchema, request.body);
    const isOwn = origins.allows(origin) && (request.headers.origin === undefined || request.headers.origin === origin);
    if (!isOwn) throw new ReefError('forbidden', { field: 'origin', ...authError('auth/unauthorized-domain') });
    const person = mode === 'link' ? (await requireRecentSession(request, accounts, clock())).person : null;
    // An anonymous person has no account to link to: they sign in and keep their uid.
    if (person?.anonymous === true)
      throw new ReefError('forbidden', { field: 'mode', ...authError('auth/operation-not-allowed') });
    const turn = await providerSignIns.start(provider.id, origin, person?.uid ?? null);
    const answer: ProviderStartReply = {
      ok: true,
      url: authorizationUrl(provider.id, provider, turn),
      state: turn.state,
      from: provider.site.origin,
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  // No HEAD route: a probe must not consume the answer.
  app.get(
    '/api/auth/providers/:id/callback',
    { ...perMinute(AUTH_LIMITS.guessesPerMinute), exposeHeadRoute: false },
    async (request, reply) => {
      const provider = requestedProvider(request);
      const answer = answerSchema.safeParse(request.query);
      const turn = answer.success ? await providerSignIns.resume(provider.id, answer.data.state) : undefined;
      if (!answer.success || turn === undefined) return sendPopup(reply, expiredSignInPage(), 400);
      const { state, code, error } = answer.data;
      const said =
        error !== undefined || code === undefined
          ? { error: providerError(error) }
          : await outcome(provider, code, turn, (identity) => providerSignIns.issueTicket(turn, identity));
      const message: PopupMessage = { source: 'reef-sign-in', state, ...said };
      return sendPopup(reply, popupPage(message, turn.origin), 200);
    },
  );

  const outcome = async (
    provider: ProviderClient & { readonly id: ProviderId },
    code: string,
    turn: SignInSecrets,
    ticketOf: (identity: Awaited<ReturnType<typeof fetchIdentity>>) => Promise<string>,
  ): Promise<Pick<PopupMessage, 'ticket' | 'error'>> => {
    try {
      return { ticket: await ticketOf(await fetchIdentity(provider.id, provider, code, turn)) };
    } catch (error) {
      if (!(error instanceof ProviderUnavailableError || error instanceof ProviderRefusedError)) throw error;
      log.warn({ provider: provider.id, reason: error.message }, 'a provider did not identify the person');
      return {
        error:
          error instanceof ProviderUnavailableError
            ? authError('auth/network-request-failed')
            : { auth: 'auth/internal-error', message: ANALYSIS_MESSAGES.authFailed },
      };
    }
  };

  app.post('/api/auth/providers/:id/finish', perMinute(AUTH_LIMITS.guessesPerMinute), async (request, reply) => {
    const { id } = requestedProvider(request);
    const { ticket } = parseInput(providerFinishSchema, request.body);
    const session = await findSession(request, accounts);
    const { identity, uid } = await providerSignIns.redeemTicket(id, ticket);
    let answer: ProviderFinishReply = { ok: true };
    if (uid === null) {
      answer = { ok: true, token: await sessions.issueCustomToken((await identities.signIn(identity, session)).uid) };
    } else {
      // Linking must be finished by the person who started it.
      if (session?.person.uid !== uid) throw new ReefError('unauthorised', { message: ANALYSIS_MESSAGES.authFailed });
      await identities.link(identity, session);
    }
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/auth/providers/:id/unlink', async (request): Promise<{ ok: true }> => {
    const named = paramsSchema.parse(request.params).id;
    const id = PROVIDERS.find((one) => one === named);
    const { person } = await requireRecentSession(request, accounts, clock());
    // A provider that is no longer configured can still be unlinked.
    if (id === undefined) throw notOfferedError();
    await identities.unlink(id, person.uid);
    return { ok: true };
  });
}

/**
 * RFC 6749, 4.1.2.1: the person refused, or the provider failed. Its own text is not shown, since anyone can craft such
 * an address.
 */
function providerError(error: string | undefined): NonNullable<PopupMessage['error']> {
  return authError(error === 'access_denied' ? 'auth/cancelled-popup-request' : 'auth/network-request-failed');
}

function authError(auth: AuthCode): NonNullable<PopupMessage['error']> {
  return { auth, message: AUTH_MESSAGES[auth] };
}

function sendPopup(reply: FastifyReply, page: Html, status: number): FastifyReply {
  void reply.header('Content-Security-Policy', POPUP_POLICY).header('Referrer-Policy', 'no-referrer');
  return sendPage(reply, page, status);
}
