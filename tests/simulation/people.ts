import { createHash } from 'node:crypto';
import type { BlobAttachment } from '../../src/data/ops/append';
import { append } from '../../src/data/ops/append';
import { freeBytes } from '../../src/data/sync/freeing/free-bytes';
import { effectiveOps } from '../../src/data/ops/effective-ops';
import { ReefError } from '../../src/domain/errors';
import type { ImageId, Sha256, SurveyId } from '../../src/domain/ids';
import { makeId } from '../../src/domain/ids';
import { newImage } from '../../src/domain/image/image';
import type { Json, JsonObject } from '../../src/domain/json';
import type { DraftFacts, OpDraft, DocumentState } from '../../src/domain/op/draft';
import {
  draftDelete,
  draftEdit,
  draftFirst,
  draftRestore,
  draftSettle,
  documentStateOf,
} from '../../src/domain/op/draft';
import type { Op, OpKind } from '../../src/domain/op/op';
import { newSurvey } from '../../src/domain/survey/survey';
import type { Intent } from './intent';
import { checkIntent } from './intent';
import type { SimTablet } from './nodes/sim-tablet';
import { SimBlob } from './virtual-loop';
import type { World } from './world';

/** Next action of a person at a tablet. */
export type UserAction =
  'survey' | 'photograph' | 'edit' | 'delete' | 'restore' | 'settle' | 'profile' | 'analysis' | 'free';

type Documents = Map<string, DocumentState & { readonly ops: readonly Op[] }>;

/** Every document on a tablet, as its screens would show it. */
async function documentsOf(tablet: SimTablet, kind: OpKind): Promise<Documents> {
  const store = tablet.running?.store;
  if (store === undefined) return new Map();
  const ids = [...new Set(tablet.ops().flatMap(({ op }) => (op.kind === kind ? [op.docId] : [])))].sort();
  const rows =
    ids.length === 0
      ? []
      : await effectiveOps(
          store,
          ids.map((id) => [kind, id] as const),
        );
  const found: Documents = new Map();
  for (const id of ids) {
    const ops = rows.flatMap((row) => (row.docId === id ? [row.op] : []));
    if (ops.length > 0) found.set(id, { ...documentStateOf(kind, id, ops), ops });
  }
  return found;
}

const WORDS = ['Moore Reef', 'Flynn Reef', 'Milln Reef', 'Pixie Gardens', 'Lighthouse Bommie'];

/** Writes of people at tablets. Each action starts on the tablet and ends with its page. */
export class People {
  #made = 0;

  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Starts an action, which may end with the page. Returns a promise that settles once saved or failed. */
  begin(tablet: SimTablet, deed: UserAction): Promise<void> {
    const life = tablet.running?.life;
    if (life === undefined || !life.alive) return Promise.resolve();
    return new Promise((resolve) => {
      this.#world.loop.as(life, () => {
        this.#act(tablet, deed)
          .catch((error: unknown) => {
            if (life.alive) this.#world.oracle.failed(tablet, deed, error);
          })
          .finally(resolve);
      });
    });
  }

  async #act(tablet: SimTablet, deed: UserAction): Promise<void> {
    switch (deed) {
      case 'survey':
        return this.#addSurvey(tablet);
      case 'photograph':
        return this.#addPhotograph(tablet);
      case 'analysis':
        return this.#addAnalysis(tablet);
      case 'profile':
        return this.#writeProfile(tablet);
      case 'free':
        return this.#free(tablet);
      case 'edit':
      case 'delete':
      case 'restore':
      case 'settle':
        return this.#change(tablet, deed);
    }
  }

  #facts(tablet: SimTablet): DraftFacts {
    const now = tablet.running?.store.host.clock.now() ?? 0;
    // A box infers the author from the session of a single tablet; a relaying tablet must name it.
    const silent = this.#world.tablets.length === 1 && this.#world.random.below(3) === 0;
    return { ...(silent ? {} : { by: tablet.person }), madeAt: new Date(now).toISOString(), schema: 1 };
  }

  /** Body as it is, or with what a hostile party must not get. */
  #bodyOf(tablet: SimTablet, kind: OpKind, body: JsonObject): JsonObject {
    return this.#world.hostile?.bodyOf(kind, body, tablet.person) ?? body;
  }

  #id<Id extends string>(): Id {
    return makeId<Id>((n) => this.#world.random.bytes(n));
  }

  async #save(tablet: SimTablet, draft: OpDraft | undefined, enclosure?: BlobAttachment): Promise<void> {
    const { running } = tablet;
    if (draft === undefined || running === undefined) return;
    this.#world.oracle.noteBegun(draft);
    const op = await append(running.store, draft, enclosure);
    if (!running.life.alive) return;
    this.#world.oracle.noteSaved(tablet, op, (enclosure?.blob.blob as unknown as SimBlob | undefined)?.content);
    await running.opIndex.follow();
  }

  /** Frees the space of photographs that are ashore. */
  async #free(tablet: SimTablet): Promise<void> {
    const { running } = tablet;
    if (running === undefined) return;
    const { store, opIndex, sync } = running;
    const inHand = (): ReadonlySet<string> => new Set(sync.progress.facts.get().inFlight.map(({ docId }) => docId));
    try {
      const freed = await freeBytes(
        { store, opIndex, inFlight: inHand },
        { by: this.#world.random.below(4) === 0 ? 'time' : 'person', signal: new AbortController().signal },
      );
      if (freed.photographs > 0) this.#world.covered('freed');
    } catch (error) {
      // Bytes stay if no server can be asked.
      if (!(error instanceof ReefError)) throw error;
    }
    if (running.life.alive) this.#world.oracle.checkFreed(tablet);
  }

  async #addSurvey(tablet: SimTablet): Promise<void> {
    const facts = this.#facts(tablet);
    const name = this.#world.random.pick(WORDS);
    const body = this.#bodyOf(
      tablet,
      'survey',
      newSurvey({
        id: this.#id<SurveyId>(),
        uid: tablet.person,
        name,
        date: '2026-11-20',
        type: null,
        location: { id: '16-071', regionId: 'gbr', name },
        madeAt: facts.madeAt,
      }),
    );
    await this.#save(tablet, draftFirst('survey', body, facts));
  }

  async #addPhotograph(tablet: SimTablet): Promise<void> {
    const surveys = await documentsOf(tablet, 'survey');
    if (surveys.size === 0) return this.#addSurvey(tablet);
    const surveyId = this.#world.random.pick([...surveys.keys()]) as SurveyId;
    const facts = this.#facts(tablet);
    this.#made += 1;
    const { random } = this.#world;
    // Repeats a photograph now and then.
    const seed = this.#world.random.below(8) === 0 ? 1 : this.#made;
    const content = Uint8Array.from(
      Buffer.concat([
        Buffer.from('ffd8ffe000104a464946000101', 'hex'),
        Buffer.from(`photograph ${seed}`.padEnd(40 + (seed % 30), '.')),
      ]),
    );
    const sha256 = createHash('sha256').update(content).digest('hex') as Sha256;
    const body = this.#bodyOf(
      tablet,
      'image',
      newImage({
        id: this.#id<ImageId>(),
        survey: { id: surveyId, name: 'x', regionId: 'gbr' },
        uid: tablet.person,
        sha256,
        bytes: content.length,
        type: 'image/jpeg',
        path: `DSC${random.below(9999)}.jpg`,
        madeAt: facts.madeAt,
        preview: { state: 'none', reason: 'failed' },
      }),
    );
    const blob = new SimBlob(content) as unknown as Blob;
    await this.#save(tablet, draftFirst('image', body, facts), {
      blob: { sha256, bytes: content.length, type: 'image/jpeg', blob },
    });
  }

  async #addAnalysis(tablet: SimTablet): Promise<void> {
    const images = await documentsOf(tablet, 'image');
    const [imageId, image] = images.size === 0 ? [] : this.#world.random.pick([...images]);
    if (imageId === undefined || image === undefined) return this.#addPhotograph(tablet);
    const facts = this.#facts(tablet);
    const body: JsonObject = {
      id: this.#id(),
      version: 2.4,
      image: { id: imageId },
      survey: (image.folded.doc['survey'] ?? { id: '' }) as Json,
      user: { uid: tablet.person, isExpert: false },
      areas: this.#world.random.below(100),
    };
    await this.#save(tablet, draftFirst('analysis', this.#bodyOf(tablet, 'analysis', body), facts));
  }

  async #writeProfile(tablet: SimTablet): Promise<void> {
    const facts = this.#facts(tablet);
    const known = (await documentsOf(tablet, 'profile')).get(tablet.person);
    const name = { first: this.#world.random.pick(WORDS), last: String(this.#world.random.below(100)) };
    const body: JsonObject = { uid: tablet.person, email: `${tablet.person.toLowerCase()}@example.org`, name };
    await this.#save(
      tablet,
      known === undefined
        ? draftFirst('profile', this.#bodyOf(tablet, 'profile', body), facts)
        : draftEdit(known, { name }, facts),
    );
  }

  async #change(tablet: SimTablet, deed: 'edit' | 'delete' | 'restore' | 'settle'): Promise<void> {
    const { random } = this.#world;
    const drawn: OpKind = random.below(3) === 0 ? 'image' : 'survey';
    const documents = [
      ...(await documentsOf(tablet, drawn)),
      ...(deed === 'settle' ? await documentsOf(tablet, drawn === 'image' ? 'survey' : 'image') : []),
    ];
    const fitting = documents.filter(([, { folded }]) =>
      deed === 'settle'
        ? folded.conflicts.length > 0
        : deed === 'restore'
          ? folded.deleted || folded.conflicts.length > 0
          : true,
    );
    if (fitting.length === 0) return;
    const [, seen] = random.pick(fitting);
    const { kind } = seen;
    if (seen.folded.conflicts.length > 0) this.#world.covered('conflict met');
    const facts = this.#facts(tablet);
    const intent = ((): Intent => {
      switch (deed) {
        case 'edit':
          return {
            deed,
            changes:
              kind === 'survey'
                ? { [random.pick(['name', 'camera'])]: random.pick([...WORDS, null]) }
                : { keptAsIs: random.below(2) === 0, order: random.pick(['a', 'b', 'c']) },
          };
        case 'delete':
        case 'restore':
          return { deed };
        case 'settle': {
          const { field, value } = random.pick(seen.folded.conflicts);
          return { deed, field, value };
        }
      }
    })();
    const draft = draftOf(intent, seen, facts);
    if (draft !== undefined) checkIntent(intent, seen.ops, draft);
    await this.#save(tablet, draft);
    if (draft !== undefined) this.#world.covered(deed === 'settle' ? 'settled' : deed);
  }
}

function draftOf(intent: Intent, seen: DocumentState, facts: DraftFacts): OpDraft | undefined {
  switch (intent.deed) {
    case 'edit':
      return draftEdit(seen, intent.changes, facts);
    case 'delete':
      return draftDelete(seen, facts);
    case 'restore':
      return draftRestore(seen, facts);
    case 'settle':
      return draftSettle(seen, intent.field, intent.value, facts);
  }
}
