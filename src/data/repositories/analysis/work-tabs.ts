import type { ImageId } from '../../../domain/ids';
import { makeId } from '../../../domain/ids';
import type { Channel, TabletHost } from '../../../platform/host';
import type { JournalKind } from '../../ops/journals/journal-rows';
import type { WorkTab, WorkTabOptions } from './types';

/** Time in which an opening tab hears of an earlier one, ms. */
const ASKING_MS = 3000;
/** Time between two openings that count as simultaneous, as when a browser restores its tabs, ms. */
const SIMULTANEOUS_MS = 250;
/** Longest wait for the other tab to store its last edits, ms: a tab that the browser froze does not answer. */
const RELEASE_MS = 2000;

type TabMessage =
  | { readonly kind: 'opened' | 'taken' | 'closed'; readonly work: string; readonly tab: string }
  | { readonly kind: 'here' | 'released'; readonly work: string; readonly tab: string; readonly to: string };

type Host = Pick<TabletHost, 'clock' | 'timers' | 'randomBytes' | 'channel' | 'log'>;

interface OpenWork {
  readonly options: WorkTabOptions;
  /** `asking`: opened just now, and no other tab has answered. */
  status: 'asking' | 'here' | 'elsewhere';
  /** Monotonic, ms. */
  askedAt: number;
  /** Tab that works on it, if it is elsewhere. */
  holder: string | null;
  cancelTimer: () => void;
  /** Called when the other tab has stored its last edits. */
  onReleased: () => void;
}

/**
 * Tabs of this browser that have the same work open: one of them edits, the others show it. Messages may be lost; then
 * the journal still refuses edits that do not follow its rows.
 */
export class WorkTabs {
  readonly #host: Host;
  readonly #tab: string;
  readonly #channel: Channel;
  /** By kind and photograph. */
  readonly #open = new Map<string, OpenWork>();

  /** @param name of the channel, equal in all tabs */
  constructor(host: Host, name: string) {
    this.#host = host;
    this.#tab = makeId(host.randomBytes);
    this.#channel = host.channel(name, (value) => this.#onMessage(value as TabMessage));
  }

  /** Opens work in this tab; implements `AnalysisRepository.workTab`. */
  open(kind: JournalKind, imageId: ImageId, options: WorkTabOptions): WorkTab {
    const work = `${kind}/${imageId}`;
    const opened: OpenWork = {
      options,
      status: 'asking',
      askedAt: 0,
      holder: null,
      cancelTimer: () => undefined,
      onReleased: () => undefined,
    };
    this.#open.set(work, opened);
    this.#ask(work, opened);
    return {
      takeOver: () => this.#takeOver(work, opened),
      close: () => {
        if (this.#open.get(work) !== opened) return;
        this.#open.delete(work);
        opened.cancelTimer();
        if (opened.status !== 'elsewhere') this.#post({ kind: 'closed', work, tab: this.#tab });
      },
    };
  }

  close(): void {
    for (const { cancelTimer } of this.#open.values()) cancelTimer();
    this.#open.clear();
    this.#channel.close();
  }

  #ask(work: string, opened: OpenWork): void {
    opened.status = 'asking';
    opened.askedAt = this.#host.clock.elapsed();
    opened.holder = null;
    opened.cancelTimer();
    opened.cancelTimer = this.#host.timers.after(ASKING_MS, () => {
      if (opened.status === 'asking') opened.status = 'here';
    });
    this.#post({ kind: 'opened', work, tab: this.#tab });
  }

  async #takeOver(work: string, opened: OpenWork): Promise<void> {
    if (opened.status !== 'elsewhere') return;
    const released = new Promise<void>((resolve) => {
      const cancelTimer = this.#host.timers.after(RELEASE_MS, resolve);
      opened.onReleased = () => {
        cancelTimer();
        resolve();
      };
    });
    this.#post({ kind: 'taken', work, tab: this.#tab });
    await released;
    if (this.#open.get(work) !== opened) return;
    opened.status = 'here';
    opened.holder = null;
    opened.options.onChange('here');
  }

  #yield(opened: OpenWork, holder: string): void {
    opened.cancelTimer();
    opened.holder = holder;
    if (opened.status === 'elsewhere') return;
    opened.status = 'elsewhere';
    opened.options.onChange('elsewhere');
  }

  #onMessage(message: TabMessage): void {
    const { work, tab } = message;
    const opened = this.#open.get(work);
    if (opened === undefined || ('to' in message && message.to !== this.#tab)) return;
    switch (message.kind) {
      case 'opened':
        if (opened.status === 'elsewhere') return;
        // Two tabs that open at once agree by their ids.
        if (this.#host.clock.elapsed() - opened.askedAt < SIMULTANEOUS_MS && tab < this.#tab)
          return this.#yield(opened, tab);
        return this.#post({ kind: 'here', work, tab: this.#tab, to: tab });
      case 'here':
        // The answer of a tab that was frozen: people went on here.
        if (opened.status === 'here') return this.#post({ kind: 'taken', work, tab: this.#tab });
        return this.#yield(opened, tab);
      case 'taken':
        return this.#release(work, opened, tab);
      case 'released':
        return opened.onReleased();
      case 'closed':
        if (opened.status !== 'elsewhere' || opened.holder !== tab) return;
        this.#ask(work, opened);
        return opened.options.onChange('here');
    }
  }

  #release(work: string, opened: OpenWork, tab: string): void {
    this.#yield(opened, tab);
    opened.options
      .flush()
      .catch((error: unknown) => {
        // The screen shows what it could not store.
        this.#host.log.note('warn', 'Edits could not be stored before another tab took over.', {
          error: String(error),
        });
      })
      .finally(() => this.#post({ kind: 'released', work, tab: this.#tab, to: tab }));
  }

  #post(message: TabMessage): void {
    try {
      this.#channel.post(message);
    } catch (error) {
      this.#host.log.note('info', 'The other tabs could not be notified of open work.', { error: String(error) });
    }
  }
}
