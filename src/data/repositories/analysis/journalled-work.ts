import { ReefError } from '../../../domain/errors';
import type { AnalysisId, ImageId } from '../../../domain/ids';
import { otherTabError } from '../../ops/append';
import type { ClosedJournal } from '../../ops/append';
import type { JournalBase, JournalBegin, JournalCodec, ReadJournal } from '../../ops/journals/journal-rows';
import { Journals } from '../../ops/journals/journals';
import type { RepositoryContext } from '../repository-context';
import { currentPerson } from '../repository-context';
import type { TraceImage } from './types';
import { readOnlyError } from './write-record';

/** State of work on a photograph in this tab: the base for saving. */
export interface OpenedWork {
  readonly base: JournalBase | null;
  /** Id of the analysis, existing or to be created. */
  readonly analysisId: AnalysisId;
  readonly readOnly: 'broken' | 'other-version' | null;
}

/** Journal of one person's work on a photograph. One person has several ids after signing in to the cloud. */
interface WorkName {
  readonly uid: string;
  readonly imageId: ImageId;
}

interface WorkKind<Begin extends JournalBegin, Edit, Parsed, State extends OpenedWork> {
  readonly codec: JournalCodec<Begin, Edit, Parsed>;
  /** Opens the photograph: its state is set afterwards, if there is a current user. */
  readonly open: (image: TraceImage) => Promise<unknown>;
  readonly begin: (state: State) => Omit<Begin, 'do' | 'survey' | 'base' | 'analysisId'>;
  /** Ids of this person's stored records of the photograph that work of this kind would change. */
  readonly storedIds: (imageId: ImageId) => Promise<readonly AnalysisId[]>;
}

/** Work of one kind on photographs: what is open in this tab, its journal, and the save that ends the journal. */
export class JournalledWork<Begin extends JournalBegin, Edit, Parsed, State extends OpenedWork> {
  readonly #parts: RepositoryContext;
  readonly #kind: WorkKind<Begin, Edit, Parsed, State>;
  readonly #journals: Journals<Begin, Edit, Parsed>;
  readonly #opened = new Map<string, State>();

  constructor(parts: RepositoryContext, kind: WorkKind<Begin, Edit, Parsed, State>) {
    this.#parts = parts;
    this.#kind = kind;
    this.#journals = new Journals(parts.store, kind.codec);
  }

  /** Name of the photograph's journal; null without a current user. */
  async nameOf(imageId: ImageId): Promise<WorkName | null> {
    const { person, access } = this.#parts;
    const uid = person.get()?.uid;
    if (uid === undefined) return null;
    return { uid: (await this.#journals.authorOf(imageId, new Set([uid, ...access.ownIds]))) ?? uid, imageId };
  }

  read(name: WorkName): Promise<ReadJournal<Begin, Parsed>> {
    return this.#journals.read(name);
  }

  set(name: WorkName, state: State): void {
    this.#opened.set(keyOf(name), state);
  }

  /**
   * Confirms work that was read as new some time ago: false if it no longer is, as after another tab worked on it.
   *
   * @param renew state with which it goes on
   */
  async confirmNew(imageId: ImageId, renew: (state: State) => State): Promise<boolean> {
    const name = await this.nameOf(imageId);
    const state = name === null ? undefined : this.#opened.get(keyOf(name));
    if (name === null || state === undefined || state.base !== null) return false;
    this.set(name, renew(state));
    if (!(await this.#journals.isCurrent(name))) return false;
    await this.#parts.opIndex.follow();
    return (await this.#kind.storedIds(imageId)).every((id) => id === state.analysisId);
  }

  /** Function that journals edits in order. @param given more members of the first row @throws ReefError from each call: as `StrokeJournal` */
  journal(image: TraceImage, given: Partial<Begin> = {}): (edit: Edit) => Promise<void> {
    const { person, access } = this.#parts;
    const uid = person.get()?.uid ?? null;
    // One lookup for all edits preserves their order.
    let named: Promise<WorkName> | undefined;
    return async (edit) => {
      if (uid === null || !access.ownIds.has(uid)) throw personChangedError();
      named ??= this.#prepare(image).catch((error: unknown) => {
        named = undefined;
        throw error;
      });
      const name = await named;
      const state = this.#require(name);
      if (state.readOnly !== null) throw readOnlyError();
      await this.#journals.add(name, edit, () => ({ ...this.#begin(name, image), ...given }));
    };
  }

  /**
   * Saves the work: the operation that `write` appends ends the journal in its transaction.
   *
   * @param author current user by default; never saved under another name
   * @param write returns the state after saving
   * @throws ReefError `unlinked-survey`, `unsupported-version` (read-only), `forbidden` {field: 'journal'}; as `write`
   */
  async save<After extends State>(
    image: TraceImage,
    author: string | undefined,
    write: (state: State, journal: ClosedJournal) => Promise<After>,
  ): Promise<After> {
    const uid = author ?? currentPerson(this.#parts).uid;
    const stillHere = (): void => {
      if (!this.#parts.access.ownIds.has(uid)) throw personChangedError();
    };
    stillHere();
    const name = await this.nameOf(image.id);
    if (name === null) throw new ReefError('unlinked-survey');
    if (!this.#opened.has(keyOf(name))) await this.#kind.open(image);
    return this.#journals.closeWith(name, async (journal) => {
      stillHere();
      const state = this.#require(name);
      if (state.readOnly !== null) throw readOnlyError();
      const after = await write(state, journal);
      this.set(name, after);
      return after;
    });
  }

  async #prepare(image: TraceImage): Promise<WorkName> {
    const name = await this.nameOf(image.id);
    if (name === null) throw personChangedError();
    const shown = this.#opened.get(keyOf(name));
    if (shown === undefined) await this.#kind.open(image);
    else if (shown.base === null) await this.#requireStillNew(name, shown);
    return name;
  }

  /** Requires that a photograph opened as new still has no analysis, so that another tab's work is not duplicated. */
  async #requireStillNew(name: WorkName, { analysisId }: State): Promise<void> {
    if (await this.#journals.has(name)) return;
    await this.#parts.opIndex.follow();
    if ((await this.#kind.storedIds(name.imageId)).some((id) => id !== analysisId)) throw otherTabError();
  }

  #require(name: WorkName): State {
    const state = this.#opened.get(keyOf(name));
    if (state === undefined) throw personChangedError();
    return state;
  }

  #begin(name: WorkName, { survey }: TraceImage): Begin {
    const state = this.#require(name);
    const common: JournalBegin = {
      do: 'begin',
      survey: { id: survey.id, name: survey.name },
      base: state.base,
      analysisId: state.analysisId,
    };
    return { ...common, ...this.#kind.begin(state) } as Begin;
  }
}

const keyOf = ({ uid, imageId }: WorkName): string => `${uid}/${imageId}`;

function personChangedError(): ReefError {
  return new ReefError('unlinked-survey', {
    message:
      'The person using this tablet has changed. The earlier work is saved. Enter your name and open the photograph again.',
  });
}
