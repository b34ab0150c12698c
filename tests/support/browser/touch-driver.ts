import type { CDPSession, Locator, Page } from 'playwright';

/** Position of a finger, CSS px. */
export interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Contact of a finger or a drop: start after the first one and duration, ms; radius, px. */
export interface Touch extends Spot {
  readonly at: number;
  readonly ms: number;
  readonly radius?: number;
}

/** Centre of a control. */
export async function middleOf(control: Locator): Promise<Spot> {
  const box = await control.boundingBox();
  if (box === null) throw new Error('the control is not in sight');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Real touches, as the screen's driver reports them to the browser. */
export class TouchDriver {
  readonly #session: CDPSession;

  private constructor(session: CDPSession) {
    this.#session = session;
  }

  static async on(page: Page): Promise<TouchDriver> {
    return new TouchDriver(await page.context().newCDPSession(page));
  }

  /**
   * Plays contacts in the order of their times. Each event carries its intended time, so that a slow machine changes
   * nothing; all are sent at once and the browser handles them one by one.
   */
  async play(touches: readonly Touch[]): Promise<void> {
    const start = Date.now() / 1000;
    const steps = touches
      .flatMap((touch, id) => [
        { time: touch.at, id, touch, type: 'touchStart' as const },
        { time: touch.at + touch.ms, id, touch, type: 'touchEnd' as const },
      ])
      .sort((one, two) => one.time - two.time);
    const down = new Map<number, Touch>();
    const sent: Promise<unknown>[] = [];
    for (const { time, id, touch, type } of steps) {
      if (type === 'touchStart') down.set(id, touch);
      else down.delete(id);
      const touchPoints = [...down].map(([each, { x, y, radius = 14 }]) => ({
        x,
        y,
        id: each,
        radiusX: radius,
        radiusY: radius,
        force: 0.6,
      }));
      // Touch ends omit the contact from those that are still down.
      sent.push(
        this.#session.send('Input.dispatchTouchEvent', {
          type: type === 'touchEnd' && down.size > 0 ? 'touchMove' : type,
          touchPoints,
          timestamp: start + time / 1000,
        }),
      );
    }
    await Promise.all(sent);
  }

  /** Puts a finger down; returns a function that lifts it. */
  async lay({ x, y }: Spot): Promise<() => Promise<void>> {
    await this.#session.send('Input.dispatchTouchEvent', {
      type: 'touchStart',
      touchPoints: [{ x, y, id: 1, radiusX: 14, radiusY: 14, force: 0.6 }],
    });
    return async () =>
      void (await this.#session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }));
  }
}
