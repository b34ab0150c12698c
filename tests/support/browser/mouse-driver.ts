import type { CDPSession, Page } from 'playwright';

/** Position of the mouse: x and y, CSS px. */
export type MousePlace = readonly [x: number, y: number];

/**
 * Real mouse, as its driver reports it to the browser. All events of a line are sent at once and the browser handles
 * them in order, several samples a frame, as a fast hand makes them. Playwright's own mouse asks the page twice a move
 * whether a drag began and waits for a frame after each, which takes most of the CPU of a painted picture.
 */
export class MouseDriver {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async on(page: Page): Promise<MouseDriver> {
    return new MouseDriver(await page.context().newCDPSession(page));
  }

  /** Moves to the first place, and from there with the button down through the others. */
  async draw([first, ...others]: readonly [MousePlace, ...(readonly MousePlace[])]): Promise<void> {
    const last = others.at(-1) ?? first;
    await Promise.all([
      this.#send('mouseMoved', first, 0),
      this.#send('mousePressed', first, 1),
      ...others.map((place) => this.#send('mouseMoved', place, 1)),
      this.#send('mouseReleased', last, 0),
    ]);
  }

  #send(type: 'mouseMoved' | 'mousePressed' | 'mouseReleased', [x, y]: MousePlace, buttons: 0 | 1): Promise<unknown> {
    return this.#session.send('Input.dispatchMouseEvent', {
      type,
      x,
      y,
      button: type === 'mouseMoved' && buttons === 0 ? 'none' : 'left',
      buttons,
      clickCount: type === 'mouseMoved' ? 0 : 1,
    });
  }
}

/** Places on a straight line after its start, evenly, up to its end. */
export function placesBetween([x, y]: MousePlace, [toX, toY]: MousePlace, count: number): MousePlace[] {
  return Array.from({ length: count }, (_, n): MousePlace => {
    const share = (n + 1) / count;
    return [x + (toX - x) * share, y + (toY - y) * share];
  });
}
