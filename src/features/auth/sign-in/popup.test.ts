import { describe, expect, it } from 'vitest';
import type { PopupEvent, PopupHost, PopupSignIn } from './popup';
import { closePopup, popupTicket, notifyOpener } from './popup';

const TURN: PopupSignIn = {
  url: 'https://provider.example/authorize?x=1',
  state: 'state-1',
  from: 'https://reef.example',
};

/** Simulated page and popup. */
function scene(blocked = false) {
  const listeners = new Set<(event: PopupEvent) => void>();
  const looks = new Map<number, () => void>();
  const channels = new Set<(data: unknown) => void>();
  const front = { here: true };
  const popup = {
    closed: false,
    at: '',
    location: { replace: (url: string) => void (popup.at = url) },
    close: () => void (popup.closed = true),
  };
  const page: PopupHost = {
    open: () => {
      popup.closed = false;
      return blocked ? null : popup;
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
    setInterval: (call) => {
      looks.set(looks.size + 1, call);
      return looks.size;
    },
    clearInterval: (timer) => void looks.delete(timer),
    channel: (hear) => {
      channels.add(hear);
      return {
        post: (data) => [...channels].filter((other) => other !== hear).forEach((other) => other(data)),
        close: () => void channels.delete(hear),
      };
    },
    hasFocus: () => front.here,
  };
  const say = (
    data: unknown,
    { origin = TURN.from, source = popup as unknown }: { origin?: string; source?: unknown } = {},
  ) => [...listeners].forEach((hear) => hear({ origin, source, data }));
  /** Advances the timer by a number of polls. */
  const look = (times = 1) => {
    for (let i = 0; i < times; i += 1) [...looks.values()].forEach((call) => call());
  };
  const waits = async () => {
    while (listeners.size === 0) await Promise.resolve();
  };
  return { page, popup, say, look, waits, listeners, looks, channels, front };
}

const good = { source: 'reef-sign-in', state: TURN.state, ticket: 'ticket-1' };
const coded = (auth: string) => expect.objectContaining({ details: expect.objectContaining({ auth }) });

describe('1§4: sign-in in a popup', () => {
  it('1§4: the opened popup’s ticket is accepted, and everything is cleaned up', async () => {
    const { page, popup, say, waits, listeners, looks, channels } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    expect(popup.at).toBe(TURN.url);
    say(good);
    expect(await ticket).toBe('ticket-1');
    expect({ closed: popup.closed, listeners: listeners.size, looks: looks.size, channels: channels.size }).toEqual({
      closed: true,
      listeners: 0,
      looks: 0,
      channels: 0,
    });
  });

  it('1§4: messages of other origins, windows and attempts are ignored', async () => {
    const { page, say, waits } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    say({ ...good, ticket: 'evil' }, { origin: 'https://evil.example' });
    say({ ...good, ticket: 'evil' }, { source: {} });
    say({ ...good, ticket: 'evil', state: 'state-2' });
    say({ ...good, ticket: 'evil', source: 'other' });
    say('evil');
    say(null);
    say(good);
    expect(await ticket).toBe('ticket-1');
  });

  it('2§8: a blocked, a closed and a replaced popup have distinct errors', async () => {
    await expect(popupTicket(async () => TURN, scene(true).page)).rejects.toEqual(coded('auth/popup-blocked'));
    const closed = scene();
    const one = popupTicket(async () => TURN, closed.page);
    await closed.waits();
    closed.popup.closed = true;
    closed.look(20);
    await expect(one).rejects.toEqual(coded('auth/popup-closed-by-user'));
    const first = scene();
    const cancelled = popupTicket(async () => TURN, first.page);
    await first.waits();
    const second = scene();
    const kept = popupTicket(async () => TURN, second.page);
    await expect(cancelled).rejects.toEqual(coded('auth/cancelled-popup-request'));
    await second.waits();
    second.say(good);
    expect(await kept).toBe('ticket-1');
  });

  it('2§8: a message just before the window closes is heard, and a refusal has its text', async () => {
    const { page, popup, say, look, waits } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    popup.closed = true;
    look();
    say({ source: 'reef-sign-in', state: TURN.state, error: { auth: 'auth/cancelled-popup-request', message: 'x' } });
    await expect(ticket).rejects.toMatchObject({ message: 'The sign-in window was cancelled. Please try again.' });
  });

  it('1§4: a provider that isolates its window still delivers the answer', async () => {
    const { page, popup, look, waits, channels, front } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    popup.closed = true;
    front.here = false;
    look(500);
    front.here = true;
    look(19);
    const heard: unknown[] = [];
    const stop = notifyOpener(
      { ...good, state: 'state-2', ticket: 'of another turn' },
      () => heard.push('state-2'),
      page.channel,
    );
    stop();
    notifyOpener(good, () => heard.push('state-1'), page.channel);
    expect(await ticket).toBe('ticket-1');
    expect([heard, channels.size]).toEqual([['state-1'], 1]);
  });

  it('2§8: a closed or unreachable window ends the wait', async () => {
    const { page, popup, look, waits, front } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    popup.closed = true;
    look(19);
    front.here = false;
    look();
    front.here = true;
    let ended = false;
    ticket.catch(() => (ended = true));
    look(19);
    await Promise.resolve();
    expect(ended, 'a visible window restarts it').toBe(false);
    look();
    await expect(ticket).rejects.toEqual(coded('auth/popup-closed-by-user'));
    const open = scene();
    const left = popupTicket(async () => TURN, open.page);
    await open.waits();
    open.look((15 * 60_000) / 400);
    await expect(left).rejects.toEqual(coded('auth/popup-closed-by-user'));
  });

  it('2§8: a cancelled wait closes the window', async () => {
    const { page, popup, waits } = scene();
    const ticket = popupTicket(async () => TURN, page);
    await waits();
    closePopup();
    await expect(ticket).rejects.toEqual(coded('auth/cancelled-popup-request'));
    expect(popup.closed).toBe(true);
  });

  it('1§4: the window closes if the cloud does not answer or names no page', async () => {
    const away = scene();
    await expect(popupTicket(() => Promise.reject(new Error('away')), away.page)).rejects.toThrow('away');
    expect(away.popup.closed).toBe(true);
    const { page, popup } = scene();
    await expect(popupTicket(async () => ({ ...TURN, url: 'javascript:alert(1)' }), page)).rejects.toMatchObject({
      code: 'internal',
    });
    expect({ closed: popup.closed, at: popup.at }).toEqual({ closed: true, at: '' });
  });
});
