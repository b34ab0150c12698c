import type { ChosenFile } from '../../../domain/custody/intake';
import type { CardCheck, WipeBlocker, CardOriginal, WipeVerdict } from '../../../domain/custody/wipe-verdict';
import { wipeVerdict } from '../../../domain/custody/wipe-verdict';
import { ReefError } from '../../../domain/errors';
import type { WireError } from '../../../domain/errors';
import type { SurveyId } from '../../../domain/ids';
import { checkCard } from '../../sync/custody/check-card';
import { checkCardAshore } from '../../sync/custody/check-card-ashore';
import type { CustodyIndex, PhotographCustody, SurveyTally } from '../../sync/custody/custody-index';
import type { IntakeHandle, Intakes } from '../../sync/custody/intakes';
import { CloudConnection } from '../../transport/cloud/cloud-link-keeper';
import { EdgeConnection } from '../../transport/edge/edge-link-keeper';
import type { Upstream } from '../../transport/upstream';
import { Emitter } from '../../transport/observable';
import { OTHERS_SURVEY_NAME, liveSurveyNames, withoutDetails } from './custody-repository';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';

export type { FileOutcome, IntakeHandle } from '../../sync/custody/intakes';

/** A camera card: what was added to one survey on this tablet. */
export interface CardView {
  readonly surveyId: SurveyId;
  /** Another person of this tablet read it: whether it may be wiped is told, and nothing of what is on it. */
  readonly isOfOthers: boolean;
  readonly name: string;
  readonly date: string;
  readonly verdict: WipeVerdict;
  /** The check that runs now. */
  readonly checking: { readonly done: number; readonly total: number } | null;
  /** Why the last check could not be made. */
  readonly problem: WireError | null;
}

/** What may be said of the camera cards (screens: "Safe to wipe"). */
export interface CardRepository {
  /** One for each survey to which photographs were added here, the newest first. The newest three are checked by themselves. */
  readonly all: LiveQuery<CardView>;
  /**
   * Keeps a batch of files in mind, before the first of them is read. Without it a break would leave the card looking safe.
   *
   * @throws ReefError `storage-full`; read nothing then
   */
  readonly beginIntake: (surveyId: SurveyId, files: readonly ChosenFile[]) => Promise<IntakeHandle>;
  /** A person has looked at the files that were left out or never read. @throws ReefError `forbidden` where they are somebody else's: who cannot see them has not looked */
  readonly acknowledge: (surveyId: SurveyId) => Promise<void>;
  /** Asks the box for each original of a survey, now. Settles when that is done; what came of it is in `all`. */
  readonly check: (surveyId: SurveyId) => Promise<void>;
}

/** Cards that are checked without being asked. */
const AUTO_CHECKED_CARDS = 3;
/** How often it is looked whether a check has grown old, and how long a failed one waits, ms. */
const REFRESH_MS = 15_000;

interface RunningCheck {
  readonly total: number;
  done: number;
}

export function createCardRepository(
  parts: RepositoryContext,
  index: CustodyIndex,
  intakes: Intakes,
): CardRepository & { readonly close: () => void } {
  const { store, opIndex, access } = parts;
  /** The store that is asked: the box that answers, else the cloud. */
  const link = parts.upstreams;
  const documents = liveSurveyNames(parts);
  const changed = new Emitter<void>();
  const checks = new Map<SurveyId, CardCheck>();
  /** On which connection each check was made: a box that went away in between is asked again, whatever became of it. */
  const checkedVia = new WeakMap<CardCheck, Upstream>();
  const running = new Map<SurveyId, RunningCheck>();
  const problems = new Map<SurveyId, { readonly error: WireError; readonly at: number }>();
  const originals = new Map<
    SurveyId,
    {
      readonly tally: SurveyTally;
      readonly stage: Upstream['stage'] | undefined;
      readonly list: readonly CardOriginal[];
    }
  >();
  const closing = new AbortController();
  let isWiped = false;
  /** Nothing is said of a card before all is read that could speak against it. */
  let isLoaded = false;

  const cards = (): readonly CardView[] => {
    const read = documents.get();
    const known = new Map(read.items.map((item) => [item.surveyId, item]));
    const verified = link.current;
    return [...new Set([...index.surveyIds, ...intakes.surveyIds])]
      .map((surveyId): CardView => {
        const { reading, unread, leftOut } = intakes.progressOf(surveyId);
        const verdict = wipeVerdict({
          originals: cachedOriginals(surveyId),
          reading,
          unread,
          leftOut,
          box: verified === undefined ? null : { nodeId: verified.nodeId, storeEpoch: verified.storeEpoch },
          check: checkAsOf(checks.get(surveyId), verified),
          elapsed: store.host.clock.elapsed(),
          // A survey that was begun here has all that was ever added to it here; clocks do not tell which one that is.
          wiped: isWiped && opIndex.entriesOf('survey', surveyId)[0]?.own !== true,
        });
        const isOfOthers = !access.canSeeSurvey(surveyId);
        const survey = isOfOthers ? undefined : known.get(surveyId);
        return {
          surveyId,
          isOfOthers,
          name: survey?.name ?? (isOfOthers ? OTHERS_SURVEY_NAME : 'A removed survey'),
          date: survey?.date ?? '',
          verdict: isOfOthers ? withoutNames(verdict) : verdict,
          checking: running.get(surveyId) ?? null,
          problem: problems.get(surveyId)?.error ?? null,
        };
      })
      .filter(({ verdict }) => verdict.kind !== 'nothing')
      .sort(
        (a, b) =>
          Number(a.isOfOthers) - Number(b.isOfOthers) ||
          (known.get(b.surveyId)?.createdAt ?? '').localeCompare(known.get(a.surveyId)?.createdAt ?? ''),
      );
  };

  const check = async (surveyId: SurveyId): Promise<void> => {
    const verified = link.current;
    if (running.has(surveyId)) return;
    const asked = photographsOfCard(index, surveyId);
    const turn: RunningCheck = { total: asked.length, done: 0 };
    running.set(surveyId, turn);
    problems.delete(surveyId);
    changed.emit();
    try {
      if (verified === undefined) throw new ReefError('disconnected');
      const onProgress = (done: number): void => {
        running.set(surveyId, { ...turn, done });
        if (done % 20 === 0) changed.emit();
      };
      const watching = { signal: closing.signal, onProgress };
      const found =
        verified instanceof EdgeConnection
          ? await checkCard(store, verified, asked, watching)
          : verified instanceof CloudConnection
            ? await checkCardAshore(store, verified, asked, watching)
            : undefined;
      if (found === undefined) throw new ReefError('disconnected');
      checks.set(surveyId, found);
      checkedVia.set(found, verified);
      const { elapsed: _elapsed, ...row } = found;
      await store.run(() => store.db.cardChecks.put({ surveyId, ...row }));
    } catch (error) {
      if (closing.signal.aborted) return;
      problems.set(surveyId, {
        error: (error instanceof ReefError
          ? error
          : new ReefError('internal', { message: 'The check broke off on this tablet.', cause: error })
        ).toWire(),
        at: store.host.clock.elapsed(),
      });
    } finally {
      running.delete(surveyId);
      changed.emit();
    }
  };

  const checkDueCards = (views: readonly CardView[]): void => {
    if (link.current === undefined || running.size > 0) return;
    const due = views.slice(0, AUTO_CHECKED_CARDS).find(({ surveyId, verdict }) => {
      const failed = problems.get(surveyId);
      return (
        verdict.kind === 'check-now' && (failed === undefined || store.host.clock.elapsed() - failed.at > REFRESH_MS)
      );
    });
    if (due !== undefined) void check(due.surveyId);
  };

  return {
    all: createLiveQuery<CardView>({
      resetOn: access.changed,
      start: (tell) => {
        let ended = false;
        let callOff = (): void => undefined;
        const show = (): void => {
          if (ended || !isLoaded) return;
          const views = cards();
          tell.items(views);
          checkDueCards(views);
        };
        const look = (): void => {
          show();
          callOff = store.host.timers.after(REFRESH_MS, look);
        };
        loadEarlierChecks().then(look, (error: unknown) => tell.failed(error));
        const stops = [
          index.retain(),
          link.acquire(),
          index.changed.on(show),
          intakes.changed.on(show),
          changed.on(show),
          documents.subscribe(show),
          link.state.subscribe(show),
          access.changed.on(show),
        ];
        return () => {
          ended = true;
          callOff();
          stops.forEach((stop) => stop());
        };
      },
    }),
    beginIntake: (surveyId, files) => intakes.begin(surveyId, files),
    acknowledge: async (surveyId) => {
      if (!access.canSeeSurvey(surveyId))
        throw new ReefError('forbidden', {
          message: 'This card is somebody else’s. They say what of it they leave out.',
        });
      await intakes.acknowledge(surveyId);
    },
    check,
    close: () => closing.abort(new Error('the tablet is closed')),
  };

  /** The same list until something of the survey changed: of fifty surveys one changes at a time. */
  function cachedOriginals(surveyId: SurveyId): readonly CardOriginal[] {
    const tally = index.tally(surveyId);
    const known = originals.get(surveyId);
    const stage = link.current?.stage;
    if (known?.tally === tally && known.stage === stage) return known.list;
    const list = originalsOf(index, surveyId, stage);
    originals.set(surveyId, { tally, stage, list });
    return list;
  }

  function checkAsOf(check: CardCheck | undefined, verified: Upstream | undefined): CardCheck | null {
    if (check === undefined) return null;
    return verified !== undefined && checkedVia.get(check) === verified ? check : { ...check, elapsed: null };
  }

  /** What earlier checks found; they are told with their time and never count as now. */
  async function loadEarlierChecks(): Promise<void> {
    if (isLoaded) return;
    await intakes.loaded;
    isWiped = (await store.getMeta('wiped')) !== undefined;
    for (const { surveyId, ...row } of await store.run(() => store.db.cardChecks.toArray()))
      if (!checks.has(surveyId)) checks.set(surveyId, { ...row, elapsed: null });
    isLoaded = true;
  }
}

/** The same verdict without the names of files and without what a server said, which tell what is on a card. */
function withoutNames(verdict: WipeVerdict): WipeVerdict {
  if (verdict.kind !== 'keep') return verdict;
  const without = (missing: WipeBlocker): WipeBlocker => {
    if (missing.kind === 'left-out') return { ...missing, files: missing.files.map(() => ({ name: '', why: '' })) };
    return missing.kind === 'held' ? { ...missing, reason: withoutDetails(missing.reason) } : missing;
  };
  return { ...verdict, blockers: verdict.blockers.map(without) };
}

/**
 * What was read from a card here: added here, or here with its bytes though another tablet added the same before. Removed
 * ones count: a person may take them back, and their originals go to the box all the same.
 */
function photographsOfCard(index: CustodyIndex, surveyId: SurveyId): readonly PhotographCustody[] {
  return index.photographs(surveyId).filter(({ isOwn, isLocal, wasFreed }) => isOwn || isLocal || wasFreed);
}

/** @param stage of the store that can be asked: its receipt is the one that counts; without one any that stands */
function originalsOf(
  index: CustodyIndex,
  surveyId: SurveyId,
  stage: Upstream['stage'] | undefined,
): readonly CardOriginal[] {
  const receiptOf = ({ edgeReceipt, cloudReceipt }: PhotographCustody): string | null =>
    (stage === 'cloud' ? cloudReceipt : stage === 'edge' ? edgeReceipt : (edgeReceipt ?? cloudReceipt))?.nodeId ?? null;
  return photographsOfCard(index, surveyId)
    .map((standing) => ({ standing, ...standing }))
    .map(({ standing, id, sha256, cloudReceipt, held, isLocal, isDamaged }) => ({
      id,
      sha256,
      receiptNode: receiptOf(standing),
      ashore: cloudReceipt !== undefined,
      held: held ?? null,
      isOnTablet: isLocal && !isDamaged,
    }));
}
