import { Emitter } from '../../../base/emitter';
import type { CategoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { MarkEdit, MarkLog } from '../../../domain/analysis/mark-log';
import { applyMarkCommand, mapMarkEdit } from '../../../domain/analysis/mark-log';
import type { RasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import type { TracingSnapshot, TracingSession, TracingSetup } from '../../../workers/tracing/tracing.api';
import { finishStroke, toRasterMark } from '../../../workers/tracing/finish-stroke';
import type { ToolDraft, ToolHost } from '../tools/tool';
import { coverOf, NO_COVER, type Cover } from './cover';
import type { JournalQueue } from '../work/journal-queue';

export interface TraceEditorState {
  readonly isReady: boolean;
  /** Edits are refused while the marks are saved. */
  readonly isLocked: boolean;
  readonly marks: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly draft: ToolDraft | null;
}

interface TraceEditorOptions extends MarkLog<FreeDrawMark> {
  readonly session: TracingSession;
  /** null for a practice picture. */
  readonly journalQueue: Pick<JournalQueue<MarkEdit<FreeDrawMark>>, 'apply'> | null;
  /** ms since 1970. */
  readonly now: () => number;
  readonly showMessage: (words: string) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Interval of cover updates during a stroke, ms: readers need no more, and the pen has priority. */
const COVER_EVERY_MS = 200;

/** Trace editor of one image, independent of React: joins session, record marks and journal queue. */
export class TraceEditor {
  readonly host: ToolHost;
  readonly #options: TraceEditorOptions;
  readonly #changed = new Emitter();
  readonly #coverChanged = new Emitter();
  readonly subscribe = this.#changed.subscribe;
  readonly subscribeCover = this.#coverChanged.subscribe;
  readonly #unsubscribe: () => void;
  #log: MarkLog<FreeDrawMark>;
  #state: TraceEditorState;
  #cover: Cover = NO_COVER;
  #counts: Uint32Array | null = null;
  #revision = -1;
  #rule: RasterRule | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paints: CategoryClass | 'erase' | null = null;
  #isClosed = false;

  constructor(parts: TraceEditorOptions) {
    this.#options = parts;
    this.#log = { marks: parts.marks, undone: parts.undone };
    this.#state = {
      isReady: false,
      isLocked: false,
      marks: this.#log.marks.length,
      canUndo: false,
      canRedo: false,
      draft: null,
    };
    this.#unsubscribe = parts.session.subscribe(() => this.#scheduleCoverUpdate());
    this.host = {
      draw: (points) => {
        if (this.#paints !== null && this.#isOpen)
          parts.session.draw(points, this.#paints === 'erase' ? 0 : this.#paints.label);
      },
      discardStroke: () => this.#run(parts.session.discardStroke()),
      finish: (made) => this.#finish(made),
      showDraft: (draft) => this.#update({ draft }),
      showMessage: parts.showMessage,
    };
  }

  get state(): TraceEditorState {
    return this.#state;
  }

  get cover(): Cover {
    return this.#cover;
  }

  /** px of each label at the time of `cover`; null before there is a raster. */
  get counts(): Uint32Array | null {
    return this.#counts;
  }

  get rule(): RasterRule | null {
    return this.#rule;
  }

  get marks(): readonly FreeDrawMark[] {
    return this.#log.marks;
  }

  /** @throws RangeError for a picture that cannot be traced; errors of the engine */
  async begin(rule: RasterRule, styles: TracingSetup['styles'], opacity: number): Promise<void> {
    await this.#options.session.begin(
      { ...rule, styles, opacity },
      this.#log.marks.map(toRasterMark),
      this.#log.undone.map(toRasterMark),
    );
    if (this.#isClosed) return;
    this.#rule = rule;
    this.#update({ isReady: true });
    this.#updateCover();
  }

  /** Sets the class to paint with; null: view only. */
  paintWith(paints: CategoryClass | 'erase' | null): void {
    this.#paints = paints;
  }

  apply(edit: MarkEdit<FreeDrawMark>): void {
    const log = this.#isOpen ? applyMarkCommand(this.#log, edit) : this.#log;
    if (log === this.#log) return;
    this.#log = log;
    this.#run(this.#options.session.apply(mapMarkEdit(edit, toRasterMark)));
    this.#options.journalQueue?.apply(edit);
    this.#update({});
  }

  fill(paints: CategoryClass): void {
    this.apply({ kind: 'add', mark: { kind: 'zap', since: this.#since(), paints } });
  }

  /**
   * Returns the marks with their counts and refuses edits until `unlock`: otherwise a stroke could be made that neither
   * record nor journal holds.
   */
  async lock(): Promise<{ readonly marks: readonly FreeDrawMark[]; readonly counts: Uint32Array }> {
    this.#update({ isLocked: true });
    const { marks } = this.#log;
    // The answer arrives after all earlier commands.
    const { counts } = await this.#options.session.discardStroke();
    return { marks, counts };
  }

  unlock(): void {
    this.#update({ isLocked: false });
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#changed.clear();
    this.#coverChanged.clear();
  }

  get #isOpen(): boolean {
    return this.#state.isReady && !this.#state.isLocked;
  }

  #finish(made: Parameters<ToolHost['finish']>[0]): void {
    const { session, showMessage } = this.#options;
    const paints = this.#paints;
    if (paints === null || !this.#isOpen) {
      this.#run(session.discardStroke());
      return;
    }
    if (made.kind === 'polygon') {
      this.apply({ kind: 'add', mark: { kind: 'polygon', since: this.#since(), paints, rings: made.rings } });
      return;
    }
    const points = finishStroke(made.points.flat());
    if (points === null) {
      this.#run(session.discardStroke());
      // A tap that only rested the hand is silent; a short line is not.
      if (made.points.length > 1) showMessage('That line was too short. Draw a little further.');
      return;
    }
    this.apply({ kind: 'add', mark: { kind: 'stroke', since: this.#since(), paints, points } });
  }

  /** Timestamp later than the previous mark's, whatever the clock does: records order marks by time. */
  #since(): number {
    return Math.max(this.#options.now(), (this.#log.marks.at(-1)?.since ?? 0) + 1);
  }

  #run(done: Promise<TracingSnapshot>): void {
    done.catch((error: unknown) => {
      if (!this.#isClosed) this.#options.onFailed(error);
    });
  }

  #update(change: Partial<TraceEditorState>): void {
    this.#state = { ...this.#state, ...change };
    this.#state = {
      ...this.#state,
      marks: this.#log.marks.length,
      canUndo: this.#isOpen && this.#log.marks.length > 0,
      canRedo: this.#isOpen && this.#log.undone.length > 0,
    };
    this.#changed.emit();
  }

  /** Schedules a cover update instead of one per pen sample. */
  #scheduleCoverUpdate(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#updateCover();
    }, COVER_EVERY_MS);
  }

  #updateCover(): void {
    const { snapshot } = this.#options.session;
    if (snapshot === null || snapshot.revision === this.#revision) return;
    this.#revision = snapshot.revision;
    this.#counts = snapshot.counts;
    this.#cover = coverOf(snapshot.counts);
    this.#coverChanged.emit();
  }
}
