import type { CategoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { RasterRule } from '../../../domain/analysis/free-draw/raster-rule';
import type { Standing, TracingSession, TracingSetting } from '../../../workers/tracing.api';
import { finishStroke, markOf } from '../../../workers/tracing-marks';
import type { ToolDraft, ToolHost } from '../tools/tool';
import { coverOf, NO_COVER, type Cover } from './cover';
import type { KeepQueue } from './keep-queue';

/** What of an easel a screen shows beside the cover. */
export interface EaselFacts {
  /** The marks are on the picture and can be added to. */
  readonly isReady: boolean;
  /** They are being saved as they stand, and nothing is added meanwhile. */
  readonly isHeld: boolean;
  readonly marks: number;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** What a tool makes at the moment and is no mark yet. */
  readonly draft: ToolDraft | null;
}

interface EaselParts {
  readonly session: TracingSession;
  /** Keeps what is done; null for a picture to learn on. */
  readonly keep: Pick<KeepQueue, 'keep'> | null;
  readonly marks: readonly FreeDrawMark[];
  readonly undone: readonly FreeDrawMark[];
  /** ms since 1970. */
  readonly now: () => number;
  readonly say: (words: string) => void;
  readonly onFailed: (error: unknown) => void;
}

/** How often the cover is said anew while a stroke is drawn, ms: reading figures needs no more, and the pen goes first. */
const SAY_EVERY_MS = 200;

/**
 * A picture on which somebody paints: it brings together the session that shows and counts, the marks as a record holds them, and the
 * queue that keeps them. It knows no screen.
 */
export class Easel {
  /** What tools paint through. */
  readonly host: ToolHost;
  readonly #parts: EaselParts;
  readonly #marks: FreeDrawMark[];
  readonly #undone: FreeDrawMark[];
  readonly #listeners = new Set<() => void>();
  readonly #coverListeners = new Set<() => void>();
  readonly #unsubscribe: () => void;
  #facts: EaselFacts;
  #cover: Cover = NO_COVER;
  #counts: Uint32Array | null = null;
  #turn = -1;
  #rule: RasterRule | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paints: CategoryClass | 'erase' | null = null;
  #isClosed = false;

  constructor(parts: EaselParts) {
    this.#parts = parts;
    this.#marks = [...parts.marks];
    this.#undone = [...parts.undone];
    this.#facts = {
      isReady: false,
      isHeld: false,
      marks: this.#marks.length,
      canUndo: false,
      canRedo: false,
      draft: null,
    };
    this.#unsubscribe = parts.session.subscribe(() => this.#heard());
    this.host = {
      draw: (points) => {
        if (this.#paints !== null && this.#isOpen)
          parts.session.draw(points, this.#paints === 'erase' ? 0 : this.#paints.label);
      },
      giveUp: () => this.#run(parts.session.giveUp()),
      finish: (made) => this.#finish(made),
      show: (draft) => this.#say({ draft }),
      say: parts.say,
    };
  }

  get facts(): EaselFacts {
    return this.#facts;
  }

  get cover(): Cover {
    return this.#cover;
  }

  /** px of each label at the time of `cover`; null before it is there. */
  get counts(): Uint32Array | null {
    return this.#counts;
  }

  /** The raster on which it is counted; null before it is there. */
  get rule(): RasterRule | null {
    return this.#rule;
  }

  /** Those that stand, in order. */
  get marks(): readonly FreeDrawMark[] {
    return this.#marks;
  }

  readonly subscribe = (told: () => void): (() => void) => {
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  };

  readonly subscribeCover = (told: () => void): (() => void) => {
    this.#coverListeners.add(told);
    return () => this.#coverListeners.delete(told);
  };

  /** Puts the marks on the raster. @throws RangeError for a picture that cannot be traced; what the engine throws */
  async begin(rule: RasterRule, looks: TracingSetting['looks'], opacity: number): Promise<void> {
    await this.#parts.session.begin({ ...rule, looks, opacity }, this.#marks.map(markOf), this.#undone.map(markOf));
    if (this.#isClosed) return;
    this.#rule = rule;
    this.#say({ isReady: true });
    this.#cut();
  }

  /** What is painted with from now on; null: nothing (the picture is only looked at). */
  paintWith(paints: CategoryClass | 'erase' | null): void {
    this.#paints = paints;
  }

  /** 2§4: "Undo removes the latest trace or zap." */
  undo(): void {
    const mark = this.#isOpen ? this.#marks.pop() : undefined;
    if (mark === undefined) return;
    this.#undone.push(mark);
    this.#run(this.#parts.session.undo());
    this.#parts.keep?.keep({ kind: 'undo' });
    this.#say({});
  }

  redo(): void {
    const mark = this.#isOpen ? this.#undone.pop() : undefined;
    if (mark === undefined) return;
    this.#marks.push(mark);
    this.#run(this.#parts.session.redo());
    this.#parts.keep?.keep({ kind: 'redo' });
    this.#say({});
  }

  /** A zap, or a flag where the class is one: over the whole image. */
  fill(paints: CategoryClass): void {
    this.#add({ kind: 'zap', since: this.#since(), paints });
  }

  /** All marks go, without a way back. */
  clear(): void {
    if (!this.#isOpen) return;
    this.#marks.length = this.#undone.length = 0;
    this.#run(this.#parts.session.clear());
    this.#parts.keep?.keep({ kind: 'clear' });
    this.#say({});
  }

  /**
   * What stands, with its counts, and nothing is done to it until `release`: what is saved is just this, and no stroke is made that neither
   * the record nor the journal would hold.
   */
  async hold(): Promise<{ readonly marks: readonly FreeDrawMark[]; readonly counts: Uint32Array }> {
    this.#say({ isHeld: true });
    const marks = [...this.#marks];
    // The answer comes after all that was done before.
    const { counts } = await this.#parts.session.giveUp();
    return { marks, counts };
  }

  release(): void {
    this.#say({ isHeld: false });
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.#coverListeners.clear();
  }

  get #isOpen(): boolean {
    return this.#facts.isReady && !this.#facts.isHeld;
  }

  #finish(made: Parameters<ToolHost['finish']>[0]): void {
    const { session, say } = this.#parts;
    const paints = this.#paints;
    if (paints === null || !this.#isOpen) {
      this.#run(session.giveUp());
      return;
    }
    if (made.kind === 'polygon') {
      this.#add({ kind: 'polygon', since: this.#since(), paints, rings: made.rings });
      return;
    }
    const points = finishStroke(made.points.flat());
    if (points === null) {
      this.#run(session.giveUp());
      // A touch that only meant to put the hand down says nothing; a short line does.
      if (made.points.length > 1) say('That line was too short to count. Draw a little further.');
      return;
    }
    this.#add({ kind: 'stroke', since: this.#since(), paints, points });
  }

  #add(mark: FreeDrawMark): void {
    if (!this.#isOpen) return;
    this.#marks.push(mark);
    this.#undone.length = 0;
    this.#run(this.#parts.session.add(markOf(mark)));
    this.#parts.keep?.keep({ kind: 'add', mark });
    this.#say({});
  }

  /** Later than the mark before, whatever the clock did meanwhile: records tell the order of marks by their time. */
  #since(): number {
    return Math.max(this.#parts.now(), (this.#marks.at(-1)?.since ?? 0) + 1);
  }

  #run(done: Promise<Standing>): void {
    done.catch((error: unknown) => {
      if (!this.#isClosed) this.#parts.onFailed(error);
    });
  }

  #say(change: Partial<EaselFacts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.#facts = {
      ...this.#facts,
      marks: this.#marks.length,
      canUndo: this.#isOpen && this.#marks.length > 0,
      canRedo: this.#isOpen && this.#undone.length > 0,
    };
    for (const told of [...this.#listeners]) told();
  }

  /** The session stands differently: the cover is said soon, and not at every sample of a pen. */
  #heard(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#cut();
    }, SAY_EVERY_MS);
  }

  #cut(): void {
    const { standing } = this.#parts.session;
    if (standing === null || standing.turn === this.#turn) return;
    this.#turn = standing.turn;
    this.#counts = standing.counts;
    this.#cover = coverOf(standing.counts);
    for (const told of [...this.#coverListeners]) told();
  }
}
