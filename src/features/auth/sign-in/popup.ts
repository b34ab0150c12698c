import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import type { AuthCode } from '../../../domain/messages';
import { AUTH_MESSAGES, authMessage } from '../../../domain/messages';

/** A sign-in at a provider that was begun. */
export interface PopupSignIn {
  readonly url: string;
  readonly state: string;
  /** The origin that the popup's message must come from. */
  readonly from: string;
}

/** What is used of a page; a test gives its own. */
export interface PopupHost {
  open(url: string, name: string, features: string): PopupWindow | null;
  addEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  removeEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  setInterval(call: () => void, ms: number): number;
  clearInterval(timer: number): void;
  /** Hears and tells the other pages of this origin. */
  channel(hear: (data: unknown) => void): PopupChannel;
  /** The person looks at this page, not at another window. */
  hasFocus(): boolean;
}
export interface PopupWindow {
  readonly closed: boolean;
  readonly location: { replace(url: string): void };
  close(): void;
}
export interface PopupEvent {
  readonly origin: string;
  readonly source: unknown;
  readonly data: unknown;
}
export interface PopupChannel {
  post(data: unknown): void;
  close(): void;
}

/** The channel on which the last page of a popup without an opener tells the pages of its origin. The service's page has the same name. */
const CHANNEL = 'reef-sign-in';
const FEATURES = 'popup,width=480,height=680';
/** No event tells that another window was closed. */
const POLL_MS = 400;
/**
 * A window counts as closed after so long in which it seemed so and the person was back on this page. A provider's page that cuts itself off
 * from who opened it (`Cross-Origin-Opener-Policy`) seems closed, too, while the person signs in there.
 */
const CLOSED_AFTER_MS = 8000;
/** The service keeps a turn no longer. */
const WAIT_MAX_MS = 15 * 60_000;

/** Why a popup is waited for no more. */
const ABANDONED = 'given up';
const SUPERSEDED = 'another one was opened';

/** Whoever waits for a popup: only one is open at a time. */
let current: AbortController | undefined;

/** Ends the wait for a popup; it is closed where this page still may. */
export function closePopup(): void {
  current?.abort(ABANDONED);
}

/**
 * Signs in at a provider in a popup. Call it straight from the press of a button: a browser opens no window later. It believes one message
 * alone: for the turn that it began, and from the window that it opened on the cloud's own origin, or from a page of this very origin, where
 * the window was cut off from this one.
 *
 * @param begin asks the cloud where the popup goes
 * @returns the ticket for `finish`
 * @throws ReefError {auth}: `auth/popup-blocked`, `auth/popup-closed-by-user`, `auth/cancelled-popup-request` (refused at the provider, or
 *   given up, or another popup was opened), and as the provider's answer says; as `begin` throws
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
      throw new ReefError('internal', { message: 'The shore named a page that is none.' });
    popup.location.replace(signIn.url);
    return await awaitAnswer(signIn, popup, page, controller.signal);
  } finally {
    // After another call the window is that one's: it has the same name.
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
 * Where the service leads a popup that was cut off from who opened it, if the app came from another server than the service: tells the
 * pages of this origin what the provider's answer was.
 *
 * @param message as the service put it behind the `#`
 * @param onHeard called once the page that began has it
 * @returns the way to stop
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
