import { ObservableValue } from '../../base/observable';

/** Download of a map that runs in this tab, or that ran last. */
interface MapRun {
  /** Map that it is of; null before the first. */
  readonly mapId: string | null;
  readonly name: string;
  readonly isRunning: boolean;
  /** Reefs whose surveys were read; null before its archives are stored. */
  readonly reefs: number | null;
  /** Pictures that no server in reach has. */
  readonly missing: number;
  /** Failure that ended it; null for a pause. */
  readonly error: unknown;
}

/** @returns number of pictures that no server in reach has. @throws what it fails with, or the signal's reason */
type MapWork = (signal: AbortSignal, onReefs: (reefs: number) => void) => Promise<number>;

const NONE: MapRun = { mapId: null, name: '', isRunning: false, reefs: null, missing: 0, error: null };

/**
 * Runs one download of a map at a time. It belongs to no screen: a download goes on while its dialog, or the page, is
 * closed, and can be paused from wherever it is shown.
 */
export class MapRunner {
  readonly #run = new ObservableValue<MapRun>(NONE);
  #abort = new AbortController();

  readonly run = { get: this.#run.get, subscribe: this.#run.subscribe };

  /** Runs the work; nothing happens while another runs. */
  async start({ mapId, name }: Pick<MapRun, 'name'> & { readonly mapId: string }, work: MapWork): Promise<void> {
    if (this.#run.get().isRunning) return;
    const { signal } = (this.#abort = new AbortController());
    this.#run.set({ ...NONE, mapId, name, isRunning: true });
    let end: Pick<MapRun, 'missing' | 'error'> = NONE;
    try {
      end = { missing: await work(signal, (reefs) => this.#run.set({ ...this.#run.get(), reefs })), error: null };
    } catch (error) {
      end = { missing: 0, error: signal.aborted ? null : error };
    }
    this.#run.set({ ...NONE, mapId, name, ...end });
  }

  /** Asks the running work to stop. What arrived stays. */
  pause(): void {
    this.#abort.abort();
  }

  /** Forgets how the last run ended, unless one runs. */
  clear(): void {
    if (!this.#run.get().isRunning) this.#run.set(NONE);
  }
}
