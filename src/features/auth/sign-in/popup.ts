import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import type { AuthCode } from '../../../domain/messages';
import { AUTH_MESSAGES, authMessage } from '../../../domain/messages';

export interface PopupSignIn {
  readonly url: string;
  readonly state: string;
  /** Required origin of the popup's message. */
  readonly from: string;
}

/** Browser functions in use; tests pass their own. */
export interface PopupHost {
  open(url: string, name: string, features: string): PopupWindow | null;
  addEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  removeEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  setInterval(call: () => void, ms: number): number;
  clearInterval(timer: number): void;
  /** Broadcast channel of this origin. */
  channel(hear: (data: unknown) => void): PopupChannel;
  /** True if this page, not another window, has the focus. */
  hasFocus(): boolean;
}
interface PopupWindow {
  readonly closed: boolean;
  readonly location: { replace(url: string): void };
  close(): void;
}
export interface PopupEvent {
  readonly origin: string;
  readonly source: unknown;
  readonly data: unknown;
}
interface PopupChannel {
  post(data: unknown): void;
  close(): void;
}

/** Broadcast channel for popups without an opener. The cloud's page uses the same name. */
const CHANNEL = 'reef-sign-in';
const FEATURES = 'popup,width=480,height=680';
/** Poll interval: browsers have no event for a closed window. */
const POLL_MS = 400;
/**
 * Time after which a window counts as closed, if it seems closed while this page has the focus. A provider page with
 * `Cross-Origin-Opener-Policy` seems closed too, while the person signs in there.
 */
const CLOSED_AFTER_MS = 8000;
/** Lifetime of a sign-in at the cloud. */
const WAIT_MAX_MS = 15 * 60_000;

/** Reasons to stop waiting. */
const ABANDONED = 'cancelled';
const SUPERSEDED = 'another sign-in was started';

/** Current wait: only one popup is open at a time. */
let current: AbortController | undefined;

/** Stops waiting and closes the popup if possible. */
export function closePopup(): void {
  current?.abort(ABANDONED);
}

/**
 * Signs in at a provider in a popup. Must be called directly from a button press, as browsers block later popups.
 * Accepts only a message for this sign-in, from the opened window on the cloud's origin, or from a page of this origin
 * if the window was cut off from this one.
 *
 * @param begin asks the cloud for the popup's URL
 * @returns ticket for `finish`
 * @throws ReefError {auth}: `auth/popup-blocked`, `auth/popup-closed-by-user`, `auth/cancelled-popup-request` (refused,
 * cancelled or superseded), or the provider's error; as `begin` throws
 */
export async function popupTicket(begin: () => Promise<PopupSignIn>, page: PopupHost = browserHost()): Promise<string> {
  current?.abort(SUPERSEDED);
  const controller = new AbortController();
  current = controller;
  const popup = page.open('about:blank', 'reef-sign-in', FEATURES);
  if (popup === null) throw popupError('auth/popup-blocked');
  try {
    const signIn = await begin();
    if (controller.signal.aborted) throw popupError('auth/cancelled-popup-request');
    if (popup.closed) throw popupError('auth/popup-closed-by-user');
    if (!/^https?:$/.test(new URL(signIn.url).protocol))
      throw new ReefError('internal', { message: 'The shore returned an invalid sign-in page.' });
    popup.location.replace(signIn.url);
    return await awaitAnswer(signIn, popup, page, controller.signal);
  } finally {
    // After another call the window belongs to that one: it has the same name.
    if (controller.signal.reason !== SUPERSEDED) popup.close();
  }
}

function awaitAnswer(
  { state, from }: PopupSignIn,
  popup: PopupWindow,
  page: PopupHost,
  signal: AbortSignal,
): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let waitedMs = 0;
    let seemsClosedMs = 0;
    const end = (settle: () => void): void => {
      page.removeEventListener('message', onMessage);
      page.clearInterval(timer);
      channel.close();
      settle();
    };
    const accept = ({ ticket, error }: Readonly<Record<string, unknown>>): void => {
      if (typeof ticket === 'string' && ticket !== '') return end(() => resolve(ticket));
      const auth = isObject(error) && typeof error['auth'] === 'string' ? error['auth'] : '';
      const own = isObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined;
      end(() => reject(new ReefError('forbidden', { auth, message: authMessage(auth, own) })));
    };
    const isMine = (data: unknown): data is Readonly<Record<string, unknown>> =>
      isObject(data) && data['source'] === 'reef-sign-in' && data['state'] === state;
    const onMessage = ({ origin, source, data }: PopupEvent): void => {
      if (origin === from && source === popup && isMine(data)) accept(data);
    };
    const channel = page.channel((data) => {
      if (!isMine(data)) return;
      channel.post({ source: 'reef-sign-in', heard: state });
      accept(data);
    });
    const timer = page.setInterval(() => {
      waitedMs += POLL_MS;
      seemsClosedMs = popup.closed && page.hasFocus() ? seemsClosedMs + POLL_MS : 0;
      if (seemsClosedMs >= CLOSED_AFTER_MS || waitedMs >= WAIT_MAX_MS)
        end(() => reject(popupError('auth/popup-closed-by-user')));
    }, POLL_MS);
    page.addEventListener('message', onMessage);
    signal.addEventListener('abort', () => end(() => reject(popupError('auth/cancelled-popup-request'))), {
      once: true,
    });
  });
}

function browserHost(): PopupHost {
  return {
    open: (url, name, features) => window.open(url, name, features),
    addEventListener: (type, listener) => window.addEventListener(type, listener),
    removeEventListener: (type, listener) => window.removeEventListener(type, listener),
    setInterval: (call, ms) => window.setInterval(call, ms),
    clearInterval: (timer) => window.clearInterval(timer),
    channel: openOriginChannel,
    hasFocus: () => document.hasFocus(),
  };
}

function openOriginChannel(hear: (data: unknown) => void): PopupChannel {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => hear(data);
  return { post: (data) => channel.postMessage(data), close: () => channel.close() };
}

function popupError(auth: AuthCode): ReefError {
  return new ReefError('forbidden', { auth, message: AUTH_MESSAGES[auth] });
}

/**
 * Notifies the pages of this origin of a provider's answer, for a popup without opener whose app is served from another
 * origin than the cloud.
 *
 * @param message from the cloud, after the `#`
 * @param onHeard called once the opener has it
 * @returns function that stops
 */
export function notifyOpener(
  message: unknown,
  onHeard: () => void,
  open: PopupHost['channel'] = openOriginChannel,
): () => void {
  const state = isObject(message) ? message['state'] : undefined;
  const channel = open((data) => {
    if (isObject(data) && data['source'] === 'reef-sign-in' && data['heard'] === state && typeof state === 'string')
      onHeard();
  });
  channel.post(message);
  return () => channel.close();
}
