import { describe, expect, it } from 'vitest';
import type { ImageId } from '../../../domain/ids';
import type { TabletHost } from '../../../platform/host';
import type { WorkTab } from './types';
import { WorkTabs } from './work-tabs';

const IMAGE = 'Image00000000001' as ImageId;

/** Browser of several tabs with one clock; messages arrive when `deliver` is called. */
class Browser {
  #now = 0;
  #timers: { readonly at: number; readonly call: () => void }[] = [];
  #listeners: { readonly tab: number; readonly onWord: (value: unknown) => void }[] = [];
  #sent: { readonly from: number; readonly value: unknown }[] = [];

  tab(number: number): TestTab {
    return new TestTab(
      new WorkTabs(
        {
          clock: { now: () => 0, elapsed: () => this.#now },
          timers: {
            after: (ms, call) => {
              const timer = { at: this.#now + ms, call };
              this.#timers.push(timer);
              return () => (this.#timers = this.#timers.filter((one) => one !== timer));
            },
          },
          // Ids grow with the number of the tab.
          randomBytes: (n) => new Uint8Array(n).fill(number),
          channel: (_name, onWord) => {
            this.#listeners.push({ tab: number, onWord });
            return {
              post: (value) => this.#sent.push({ from: number, value }),
              close: () => (this.#listeners = this.#listeners.filter(({ tab }) => tab !== number)),
            };
          },
          log: { note: () => undefined } as unknown as TabletHost['log'],
        },
        'work',
      ),
    );
  }

  /** @param frozen tab whose messages wait */
  async deliver(frozen?: number): Promise<void> {
    const waiting: { readonly from: number; readonly value: unknown }[] = [];
    for (let message = this.#sent.shift(); message !== undefined; message = this.#sent.shift()) {
      for (const { tab, onWord } of this.#listeners) if (tab !== message.from && tab !== frozen) onWord(message.value);
      if (frozen !== undefined && frozen !== message.from) waiting.push(message);
      // Edits are stored in between.
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#sent = waiting;
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { call } of due) call();
  }
}

class TestTab {
  readonly events: string[] = [];
  place: 'here' | 'elsewhere' = 'here';
  #work: WorkTab | undefined;

  readonly #tabs: WorkTabs;

  constructor(tabs: WorkTabs) {
    this.#tabs = tabs;
  }

  open(): void {
    this.#work = this.#tabs.open('labels', IMAGE, {
      onChange: (place) => {
        this.place = place;
        this.events.push(place);
      },
      flush: async () => {
        this.events.push('flush');
      },
    });
  }

  takeOver(): Promise<void> {
    return this.#work?.takeOver() ?? Promise.resolve();
  }

  close(): void {
    this.#work?.close();
  }
}

describe('tabs with one work', () => {
  it.each([
    [1, 2],
    [2, 1],
  ])('2§4 tab %i opens before tab %i: the second only shows', async (first, second) => {
    const browser = new Browser();
    const [one, two] = [browser.tab(first), browser.tab(second)];
    one.open();
    await browser.deliver();
    browser.pass(400);
    two.open();
    await browser.deliver();
    expect([one.place, two.place]).toEqual(['here', 'elsewhere']);
  });

  it('2§4 three tabs that open at once agree on one that edits, and on the next when it closes', async () => {
    const browser = new Browser();
    const tabs = [browser.tab(2), browser.tab(3), browser.tab(1)];
    for (const tab of tabs) tab.open();
    await browser.deliver();
    expect(tabs.map(({ place }) => place)).toEqual(['elsewhere', 'elsewhere', 'here']);
    browser.pass(5000);
    tabs[2]?.close();
    await browser.deliver();
    expect(tabs.slice(0, 2).map(({ place }) => place)).toEqual(['here', 'elsewhere']);
  });

  it('2§4 a takeover waits until the other tab has stored its edits', async () => {
    const browser = new Browser();
    const [one, two] = [browser.tab(1), browser.tab(2)];
    one.open();
    browser.pass(400);
    two.open();
    await browser.deliver();
    const taking = two.takeOver();
    expect(two.place).toBe('elsewhere');
    await browser.deliver();
    await taking;
    expect(one.events).toEqual(['elsewhere', 'flush']);
    expect([one.place, two.place]).toEqual(['elsewhere', 'here']);
  });

  it('2§4 a tab that thaws after a takeover shows what goes on in the other', async () => {
    const browser = new Browser();
    const [one, two] = [browser.tab(1), browser.tab(2)];
    one.open();
    browser.pass(400);
    two.open();
    await browser.deliver();
    const taking = two.takeOver();
    await browser.deliver(1);
    browser.pass(2000);
    await taking;
    expect([one.place, two.place]).toEqual(['here', 'here']);
    await browser.deliver();
    expect([one.place, two.place]).toEqual(['elsewhere', 'here']);
  });

  it('2§4 a tab that was frozen while the other opened yields to it when it answers', async () => {
    const browser = new Browser();
    const [one, two] = [browser.tab(1), browser.tab(2)];
    one.open();
    await browser.deliver();
    browser.pass(400);
    two.open();
    await browser.deliver(1);
    browser.pass(10_000);
    await browser.deliver();
    expect([one.place, two.place]).toEqual(['elsewhere', 'here']);
  });
});
