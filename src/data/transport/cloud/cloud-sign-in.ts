import { z } from 'zod';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import type { ProviderId, ProviderStartReply } from '../../../protocol/accounts';
import type { CloudHttp } from './cloud-http';

const doneReply = z.looseObject({});
const startReply = z.looseObject({ url: z.string().min(1), state: z.string().min(1), from: z.string().min(1) });
const windowReply = z.looseObject({ state: z.string().min(1) });
const tokenReply = z.looseObject({ token: z.string().min(1) });
const finishReply = z.looseObject({ token: z.string().min(1).optional() });

/** Mails a sign-in link. @param path page of the site to continue on @throws ReefError from the cloud */
export async function sendSignInLink(http: Pick<CloudHttp, 'call'>, email: string, path: string): Promise<void> {
  await http.call(doneReply, 'sendauthenticationlink', { email, path }, ANALYSIS_LIMITS.codeSendTimeoutMs);
}

/**
 * Starts a sign-in at a provider.
 *
 * @param mode `link`: adds the provider to the account of the session
 * @param origin of the page that opens the popup
 */
export async function startProvider(
  http: Pick<CloudHttp, 'request'>,
  id: ProviderId,
  mode: 'sign-in' | 'link',
  origin: string,
): Promise<Omit<ProviderStartReply, 'ok'>> {
  const { url, state, from } = await http.request(startReply, 'POST', `/api/auth/providers/${id}/start`, {
    mode,
    origin,
  });
  return { url, state, from };
}

/**
 * Redeems the popup's ticket. With an anonymous session it retains that uid if possible.
 *
 * @returns the custom token; undefined if the provider was linked
 */
export async function finishProvider(
  http: Pick<CloudHttp, 'request'>,
  id: ProviderId,
  ticket: string,
): Promise<string | undefined> {
  return (await http.request(finishReply, 'POST', `/api/auth/providers/${id}/finish`, { ticket })).token;
}

/** Starts a sign-in in a window of the cloud. @param origin of the page that opens it @returns state of the window */
export async function startWindow(http: Pick<CloudHttp, 'request'>, origin: string): Promise<string> {
  return (await http.request(windowReply, 'POST', '/api/auth/window/start', { origin })).state;
}

/** Redeems the ticket of the cloud's window. With an anonymous session it retains that uid if possible. */
export async function finishWindow(http: Pick<CloudHttp, 'request'>, ticket: string): Promise<string> {
  return (await http.request(tokenReply, 'POST', '/api/auth/window/finish', { ticket })).token;
}

/** Removes a sign-in method. @throws ReefError `forbidden` for the last one */
export async function unlinkProvider(http: Pick<CloudHttp, 'request'>, id: ProviderId): Promise<void> {
  await http.request(doneReply, 'POST', `/api/auth/providers/${id}/unlink`, {});
}
