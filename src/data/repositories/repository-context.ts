import type { OpKind } from '../../domain/op/op';
import type { PersonId } from '../../domain/ids';
import type { DraftFacts, DocumentState } from '../../domain/op/draft';
import { documentStateOf } from '../../domain/op/draft';
import { schemaVersion } from '../../domain/records';
import { ReefError } from '../../domain/errors';
import type { PhotographReader } from '../../workers/photograph/photograph.api';
import type { DocumentSelector, ReadDoc, ReadModel } from '../db/read-model';
import type { BlobAttachment } from '../ops/append';
import { append, appendAll } from '../ops/append';
import type { OpIndex } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import type { Projector } from '../db/projector';
import type { DocumentAccess } from '../ops/document-access';
import { effectiveOps } from '../ops/effective-ops';
import type { OpDraft } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import type { Custody } from '../sync/custody/custody';
import { custodyOf } from '../sync/custody/custody';
import type { TabletSync } from '../sync/tablet-sync';
import type { Connectivity } from '../transport/connectivity';
import type { CloudLinkKeeper } from '../transport/cloud/cloud-link-keeper';
import type { EdgeLinkKeeper } from '../transport/edge/edge-link-keeper';
import type { UpstreamLinks } from '../transport/upstream-links';
import type { TabletName } from '../transport/edge/verify-with-edge';
import type { LiveQuery, Observable } from './live';
import { createLiveQuery } from './live-query';
import type { Person } from './account/person-repository';

/** What repositories are made of; none of it leaves this folder. */
export interface RepositoryContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  readonly projector: Projector;
  readonly model: Promise<ReadModel>;
  readonly connectivity: Connectivity;
  /** The way to the box. */
  readonly edgeLink: EdgeLinkKeeper;
  /** The way to the cloud. */
  readonly cloudLink: CloudLinkKeeper;
  /** The one of both that counts now. */
  readonly upstreams: UpstreamLinks;
  readonly sync: TabletSync;
  readonly photographs: PhotographReader;
  readonly self: TabletName;
  readonly person: Observable<Person | null>;
  /** What of the tablet's documents whoever is at it sees. */
  readonly access: DocumentAccess;
}

/** Saves an operation; when this settles it is durable. The read model follows by itself. */
export async function saveOp(
  { store, opIndex, projector }: RepositoryContext,
  draft: OpDraft,
  enclosure?: BlobAttachment,
): Promise<Op> {
  const op = await append(store, draft, enclosure);
  await opIndex.follow();
  projector.schedule();
  return op;
}

/** Saves several operations in one transaction: all of them, or none. */
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

/** The person at the tablet. @throws ReefError `unlinked-survey` where there is none */
export function currentPerson({ person }: RepositoryContext): Person {
  const now = person.get();
  if (now === null)
    throw new ReefError('unlinked-survey', { message: 'Nobody is entered on this tablet yet. Say who you are first.' });
  return now;
}

/** The document as this tablet sees it. @throws ReefError `not-found` */
export async function readDocument({ store }: RepositoryContext, kind: OpKind, docId: string): Promise<DocumentState> {
  const rows = await effectiveOps(store, [[kind, docId]]);
  if (rows.length === 0) throw new ReefError('not-found');
  return documentStateOf(
    kind,
    docId,
    rows.map(({ op }) => op),
  );
}

/** Whether this tablet knows of the document. */
export async function hasDocument({ store }: RepositoryContext, kind: OpKind, docId: string): Promise<boolean> {
  return (await effectiveOps(store, [[kind, docId]])).length > 0;
}

/** Where the shore answers, as this tablet knows it; null while it does not. */
export function knownCloudOrigin({ opIndex }: Pick<RepositoryContext, 'opIndex'>): string | null {
  return opIndex.clouds.find(({ origin }) => origin !== null)?.origin ?? null;
}

/** Several documents as this tablet sees them, those that it knows. */
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

/** What a live query over documents asks: kinds, each narrowed; deleted ones are left out unless they are asked for. */
export interface DocumentsQuery<View> {
  readonly kinds: readonly OpKind[];
  /** Which documents of each kind; all that are not deleted for a kind that is not named. */
  readonly selector?: Readonly<Partial<Record<OpKind, DocumentSelector>>>;
  /** What else the view follows; calls back after each change, until the function given back is called. */
  readonly alsoFollow?: (changed: () => void) => () => void;
  /** From the documents of each kind that whoever is at the tablet sees to what the screens show. */
  readonly view: (documents: Readonly<Record<string, readonly ReadDoc[]>>) => readonly View[];
  /** `everybody`: the documents of all people of this tablet, for what is no screen's; the one who asks answers for what comes of it. */
  readonly scope?: 'everybody';
  /** Told before each `view` how many documents were left out, being somebody else's. */
  readonly onHidden?: (count: number) => void;
}

/** Between two computations of a list there is so many times as long as one takes with its drawing: the screen keeps its time. */
const REST_FACTOR = 10;
/** No list is older than this for it, ms. */
const REST_MAX_MS = 1500;

/**
 * A live query over the read model, which follows documents, custody and what the sender does. While much changes at once it
 * is computed now and then, the last time after the last change.
 */
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
        // Screens draw what they were told before anything else has its turn.
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
            access.changed.on(publishNow),
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

/** One live query or value a key, so that screens which ask for the same share it. */
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

/** A text of a document's field, or the other. */
export function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
