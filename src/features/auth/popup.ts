import { ReefError } from '../../domain/errors';
import { isObject } from '../../domain/json';
import type { AuthCode } from '../../domain/messages';
import { AUTH_MESSAGES, authMessage } from '../../domain/messages';

/** A sign-in at a provider that was begun. */
export interface PopupTurn {
  readonly url: string;
  readonly state: string;
  /** The origin that the popup's message must come from. */
  readonly from: string;
}

/** What is used of a window; a test gives its own. */
export interface PopupOpener {
  open(url: string, name: string, features: string): PopupWindow | null;
  addEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  removeEventListener(type: 'message', listener: (event: PopupEvent) => void): void;
  setInterval(call: () => void, ms: number): number;
  clearInterval(timer: number): void;
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

const FEATURES = 'popup,width=480,height=680';
/** No event tells that another window was closed. */
const LOOK_EVERY_MS = 400;

/** Whoever waits for a popup: only one is open at a time. */
let current: AbortController | undefined;

/**
 * Signs in at a provider in a popup. Call it straight from the press of a button: a browser opens no window later. It believes one message
 * alone: from the window that it opened, from the cloud's own origin, for the turn that it began.
 *
 * @param begin asks the cloud where the popup goes
 * @returns the ticket for `finish`
 * @throws ReefError {auth}: `auth/popup-blocked`, `auth/popup-closed-by-user`, `auth/cancelled-popup-request` (refused at the provider, or
 *   another popup was opened), and as the provider's answer says; as `begin` throws
 */
export async function popupTicket(begin: () => Promise<PopupTurn>, page: PopupOpener = window as unknown as PopupOpener): Promise<string> {
  current?.abort();
  const mine = new AbortController();
  current = mine;
  const popup = page.open('about:blank', 'reef-sign-in', FEATURES);
  if (popup === null) throw popupError('auth/popup-blocked');
  try {
    const turn = await begin();
    if (mine.signal.aborted) throw popupError('auth/cancelled-popup-request');
    if (popup.closed) throw popupError('auth/popup-closed-by-user');
    if (!/^https?:$/.test(new URL(turn.url).protocol)) throw new ReefError('internal', { message: 'The shore named a page that is none.' });
    popup.location.replace(turn.url);
    return await answerOf(turn, popup, page, mine.signal);
  } finally {
    // After another call the window is that one's: it has the same name.
    if (!mine.signal.aborted) popup.close();
  }
}

function answerOf({ state, from }: PopupTurn, popup: PopupWindow, page: PopupOpener, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    let seenClosed = false;
    const end = (settle: () => void): void => {
      page.removeEventListener('message', hear);
      page.clearInterval(timer);
      settle();
    };
    const hear = ({ origin, source, data }: PopupEvent): void => {
      if (origin !== from || source !== popup || !isObject(data) || data['source'] !== 'reef-sign-in' || data['state'] !== state) return;
      const { ticket, error } = data;
      if (typeof ticket === 'string' && ticket !== '') return end(() => resolve(ticket));
      const auth = isObject(error) && typeof error['auth'] === 'string' ? error['auth'] : '';
      const own = isObject(error) && typeof error['message'] === 'string' ? error['message'] : undefined;
      end(() => reject(new ReefError('forbidden', { auth, message: authMessage(auth, own) })));
    };
    const timer = page.setInterval(() => {
      // It closes itself right after its message, which may still be on its way.
      if (seenClosed) end(() => reject(popupError('auth/popup-closed-by-user')));
      seenClosed = popup.closed;
    }, LOOK_EVERY_MS);
    page.addEventListener('message', hear);
    signal.addEventListener('abort', () => end(() => reject(popupError('auth/cancelled-popup-request'))), { once: true });
  });
}

function popupError(auth: AuthCode): ReefError {
  return new ReefError('forbidden', { auth, message: AUTH_MESSAGES[auth] });
}
