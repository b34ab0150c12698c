import type { OpKind } from '../../domain/op/op';
import type { PersonId } from '../../domain/ids';
import type { DraftFacts, DocumentState } from '../../domain/op/draft';
import { documentStateOf } from '../../domain/op/draft';
import { schemaVersion } from '../../domain/records';
import { ReefError } from '../../domain/errors';
import type { PhotographReader } from '../../workers/photograph/photograph.api';
import type { PictureSegmenter } from '../../workers/segmentation/segmentation.api';
import type { DocumentSelector, ReadDoc, ReadModel } from '../db/read-model';
import type { BlobAttachment } from '../ops/append';
import { append, appendAll } from '../ops/append';
import type { Projector } from '../db/projector';
import type { DocumentAccess } from '../ops/document-access';
import { effectiveOps } from '../ops/effective-ops';
import type { OpDraft } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import type { Custody } from '../sync/custody/custody';
import { custodyOf } from '../sync/custody/custody';
import type { TabletCore } from '../tablet-core';
import type { LiveQuery, Observable } from './live';
import { createLiveQuery } from './live-query';
import type { Person } from './account/person';

/** Internals that the repositories share; none of it leaves this folder. */
export interface RepositoryContext extends TabletCore {
  readonly projector: Projector;
  readonly model: Promise<ReadModel>;
  readonly photographs: PhotographReader;
  /** Segmentation of photographs without outlines; null: this tablet makes none. */
  readonly segmenter: PictureSegmenter | null;
  readonly person: Observable<Person | null>;
  /** Filter of the tablet's documents by what the current user may see. */
  readonly access: DocumentAccess;
  /** Host of the page; null if unknown. */
  readonly hostname: string | null;
}

/** Saves an operation, durable when this settles. The read model follows automatically. */
export async function saveOp(
  { store, opIndex, projector }: RepositoryContext,
  draft: OpDraft,
  attachment?: BlobAttachment,
): Promise<Op> {
  const op = await append(store, draft, attachment);
  await opIndex.follow();
  projector.schedule();
  return op;
}

/** Saves several operations in one transaction, all or none. */
export async function saveOps(
  { store, opIndex, projector }: RepositoryContext,
  drafts: readonly OpDraft[],
): Promise<void> {
  if (drafts.length === 0) return;
  await appendAll(
    store,
    drafts.map((draft) => ({ draft })),
  );
  await opIndex.follow();
  projector.schedule();
}

export function draftFacts({ store, person }: RepositoryContext, kind: OpKind): DraftFacts {
  const by: PersonId | undefined = person.get()?.uid;
  return { ...(by === undefined ? {} : { by }), madeAt: store.isoNow(), schema: schemaVersion(kind) };
}

/**
 * Current user.
 * @throws ReefError `unlinked-survey` if there is none
 */
export function currentPerson({ person }: RepositoryContext): Person {
  const now = person.get();
  if (now === null)
    throw new ReefError('unlinked-survey', {
      message: 'No one has entered a name on this tablet yet. Enter your name first.',
    });
  return now;
}

/** @throws ReefError `not-found` */
export async function readDocument({ store }: RepositoryContext, kind: OpKind, docId: string): Promise<DocumentState> {
  const rows = await effectiveOps(store, [[kind, docId]]);
  if (rows.length === 0) throw new ReefError('not-found');
  return documentStateOf(
    kind,
    docId,
    rows.map(({ op }) => op),
  );
}

export async function hasDocument({ store }: RepositoryContext, kind: OpKind, docId: string): Promise<boolean> {
  return (await effectiveOps(store, [[kind, docId]])).length > 0;
}

/** Origin of the cloud; null if unknown to this tablet. */
export function knownCloudOrigin({ opIndex }: Pick<RepositoryContext, 'opIndex'>): string | null {
  return opIndex.clouds.find(({ origin }) => origin !== null)?.origin ?? null;
}

export async function readDocuments(
  { store }: RepositoryContext,
  kind: OpKind,
  docIds: readonly string[],
): Promise<DocumentState[]> {
  const ops = new Map<string, Op[]>();
  for (const { docId, op } of await effectiveOps(
    store,
    docIds.map((docId) => [kind, docId]),
  ))
    ops.set(docId, [...(ops.get(docId) ?? []), op]);
  return [...ops].map(([docId, known]) => documentStateOf(kind, docId, known));
}

export function custodyOfDocument(
  { opIndex, sync, connectivity }: RepositoryContext,
  kind: OpKind,
  docId: string,
): Custody {
  return custodyOf(
    opIndex,
    { facts: sync.progress.facts.get(), delays: sync.progress.delays, to: connectivity.targetKind() },
    kind,
    docId,
  );
}

/** Live query over documents of some kinds; deleted ones only if selected. */
interface DocumentsQuery<View> {
  readonly kinds: readonly OpKind[];
  /** Selector per kind; without one, all that are not deleted. */
  readonly selector?: Readonly<Partial<Record<OpKind, DocumentSelector>>>;
  /** Further dependencies of the view; calls back after each change until the returned function is called. */
  readonly alsoFollow?: (changed: () => void) => () => void;
  /** Maps the documents of each kind that the current user may see to views. */
  readonly view: (documents: Readonly<Record<string, readonly ReadDoc[]>>) => readonly View[];
  /** `everybody`: documents of all users of this tablet; the caller must not show them. */
  readonly scope?: 'everybody';
  /** Called before each `view` with the number of other users' documents omitted. */
  readonly onHidden?: (count: number) => void;
}

/** Pause between two computations of a list, in multiples of one's time, so that the screen stays responsive. */
const REST_FACTOR = 10;
/** Upper bound of that pause, ms. */
const REST_MAX_MS = 1500;

/** Live query over read model, custody and sending progress; throttled, with a last run after the last change. */
export function liveDocuments<View>(
  parts: RepositoryContext,
  { kinds, selector = {}, alsoFollow, view, scope, onHidden }: DocumentsQuery<View>,
): LiveQuery<View> {
  const { access } = parts;
  const visible = (kind: OpKind, found: readonly ReadDoc[]): readonly ReadDoc[] =>
    scope === 'everybody' ? found : access.filterVisible(kind, found);
  return createLiveQuery<View>({
    resetOn: access.changed,
    start: (tell) => {
      const documents = new Map<OpKind, readonly ReadDoc[]>();
      const stops: (() => void)[] = [parts.sync.retain()];
      let ended = false;
      const { clock, timers } = parts.store.host;
      let restsUntil = 0;
      let cancelTimer: (() => void) | undefined;
      const compute = (): void => {
        cancelTimer = undefined;
        const began = clock.elapsed();
        try {
          const shown = [...documents].map(([kind, found]) => [kind, visible(kind, found)] as const);
          onHidden?.(shown.reduce((sum, [kind, some]) => sum + (documents.get(kind)?.length ?? 0) - some.length, 0));
          tell.items(view(Object.fromEntries(shown)));
        } catch (error) {
          tell.failed(error);
        }
        const rest = (): void => {
          const ends = clock.elapsed();
          restsUntil = ends + Math.min(REST_MAX_MS, REST_FACTOR * (ends - began));
        };
        rest();
        // Rendering of the previous result comes first.
        timers.after(0, rest);
      };
      const publishNow = (): void => {
        if (ended || documents.size < kinds.length) return;
        cancelTimer?.();
        compute();
      };
      const schedulePublish = (): void => {
        if (ended || documents.size < kinds.length || cancelTimer !== undefined) return;
        const rest = restsUntil - clock.elapsed();
        if (rest <= 0) compute();
        else cancelTimer = timers.after(rest, compute);
      };
      parts.model.then(
        ({ watch }) => {
          if (ended) return;
          for (const kind of kinds) {
            const onDocuments = (found: readonly ReadDoc[]): void => {
              documents.set(kind, found);
              schedulePublish();
            };
            stops.push(watch(kind, selector[kind] ?? {}, onDocuments, tell.failed));
          }
          stops.push(
            parts.opIndex.onChange(schedulePublish),
            parts.sync.progress.facts.subscribe(schedulePublish),
            access.changed.subscribe(publishNow),
          );
          if (alsoFollow !== undefined) stops.push(alsoFollow(schedulePublish));
        },
        (error: unknown) => tell.failed(error),
      );
      return () => {
        ended = true;
        cancelTimer?.();
        stops.forEach((stop) => stop());
      };
    },
  });
}

/** Memoises one live query or value per key, for screens to share. */
export function memoizeByKey<Key extends string, Shared>(make: (key: Key) => Shared): (key: Key) => Shared {
  const made = new Map<Key, Shared>();
  return (key) => {
    const existing = made.get(key);
    if (existing !== undefined) return existing;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}

export function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
