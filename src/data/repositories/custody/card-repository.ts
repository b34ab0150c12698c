import type { ChosenFile } from '../../../domain/custody/intake';
import type { CardCheck, WipeBlocker, CardOriginal, WipeVerdict } from '../../../domain/custody/wipe-verdict';
import { verdictUrgency, wipeVerdict } from '../../../domain/custody/wipe-verdict';
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
import { Emitter } from '../../../base/emitter';
import { OTHERS_SURVEY_NAME, liveSurveyNames, withoutDetails } from './custody-repository';
import type { LiveQuery } from '../live';
import { createLiveQuery } from '../live-query';
import type { RepositoryContext } from '../repository-context';

export type { IntakeHandle } from '../../sync/custody/intakes';

/** Camera card: the files added to one survey on this tablet. */
export interface CardView {
  readonly surveyId: SurveyId;
  /** True if another user of this tablet read it: only the verdict is shown, not its contents. */
  readonly isOfOthers: boolean;
  readonly name: string;
  readonly verdict: WipeVerdict;
  readonly checking: { readonly done: number; readonly total: number } | null;
  readonly problem: WireError | null;
}

/** Verdicts on the camera cards (screens: "Safe to wipe"). */
export interface CardRepository {
  /**
   * One for each survey with photographs added here, the most urgent first, then the newest; the newest three are
   * checked automatically.
   */
  readonly all: LiveQuery<CardView>;
  /**
   * Records a batch of files before the first is read. Otherwise a crash would leave the card looking safe.
   * @throws ReefError `storage-full`; read nothing then
   */
  readonly beginIntake: (surveyId: SurveyId, files: readonly ChosenFile[]) => Promise<IntakeHandle>;
  /**
   * Confirms that a person looked at the files left out or never read.
   * @throws ReefError `forbidden` for another user's files
   */
  readonly acknowledge: (surveyId: SurveyId) => Promise<void>;
  /** Asks the box for each original of a survey now. Settles when done; the result is in `all`. */
  readonly check: (surveyId: SurveyId) => Promise<void>;
  /** Asks the box for every card whose photographs all have receipts, one card after the other. */
  readonly checkAll: () => Promise<void>;
}

const AUTO_CHECKED_CARDS = 3;
/** Interval of looking for outdated checks, and delay after a failed one, ms. */
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
  /** Store that is asked: the reachable box, else the cloud. */
  const link = parts.upstreams;
  const documents = liveSurveyNames(parts);
  const changed = new Emitter<void>();
  const checks = new Map<SurveyId, CardCheck>();
  /** Connection of each check. A box that was away in between is asked again. */
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
  /** Verdicts wait until everything that could speak against a card is loaded. */
  let isLoaded = false;

  /** Cards, newest first. */
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
          // A survey begun here contains all that was ever added to it here.
          wiped: isWiped && opIndex.entriesOf('survey', surveyId)[0]?.own !== true,
        });
        const isOfOthers = !access.canSeeSurvey(surveyId);
        const survey = isOfOthers ? undefined : known.get(surveyId);
        return {
          surveyId,
          isOfOthers,
          name: survey?.name ?? (isOfOthers ? OTHERS_SURVEY_NAME : 'Removed survey'),
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
          : new ReefError('internal', { message: 'The check was interrupted on this tablet.', cause: error })
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
          tell.items([...views].sort((a, b) => verdictUrgency(a.verdict) - verdictUrgency(b.verdict)));
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
          index.changed.subscribe(show),
          intakes.changed.subscribe(show),
          changed.subscribe(show),
          documents.subscribe(show),
          link.state.subscribe(show),
          access.changed.subscribe(show),
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
          message: 'This card belongs to someone else. Only they can leave files out.',
        });
      await intakes.acknowledge(surveyId);
    },
    check,
    checkAll: async () => {
      for (const { surveyId, verdict } of cards())
        if (verdict.kind === 'check-now' || verdict.kind === 'safe') await check(surveyId);
    },
    close: () => closing.abort(new Error('the tablet is closed')),
  };

  /** Returns the same list until the survey changes: usually only one of many does. */
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

  /** Loads earlier checks, which never count as current. */
  async function loadEarlierChecks(): Promise<void> {
    if (isLoaded) return;
    await intakes.loaded;
    isWiped = (await store.getMeta('wiped')) !== undefined;
    for (const { surveyId, ...row } of await store.run(() => store.db.cardChecks.toArray()))
      if (!checks.has(surveyId)) checks.set(surveyId, { ...row, elapsed: null });
    isLoaded = true;
  }
}

/** Verdict without file names and server messages, which would reveal a card's contents. */
function withoutNames(verdict: WipeVerdict): WipeVerdict {
  if (verdict.kind !== 'keep') return verdict;
  const without = (missing: WipeBlocker): WipeBlocker => {
    if (missing.kind === 'left-out') return { ...missing, files: missing.files.map(() => ({ name: '', why: '' })) };
    return missing.kind === 'held' ? { ...missing, reason: withoutDetails(missing.reason) } : missing;
  };
  return { ...verdict, blockers: verdict.blockers.map(without) };
}

/**
 * Photographs read from the card here, even if another tablet added them first. Removed ones count: they can be
 * restored, and their originals are sent anyway.
 */
function photographsOfCard(index: CustodyIndex, surveyId: SurveyId): readonly PhotographCustody[] {
  return index.photographs(surveyId).filter(({ isOwn, isLocal, wasFreed }) => isOwn || isLocal || wasFreed);
}

/** @param stage of the store that can be asked: only its receipt counts; without one, any valid receipt does */
function originalsOf(
  index: CustodyIndex,
  surveyId: SurveyId,
  stage: Upstream['stage'] | undefined,
): readonly CardOriginal[] {
  const receiptOf = ({ edgeReceipt, cloudReceipt }: PhotographCustody): string | null =>
    (stage === 'cloud' ? cloudReceipt : stage === 'edge' ? edgeReceipt : (edgeReceipt ?? cloudReceipt))?.nodeId ?? null;
  return photographsOfCard(index, surveyId)
    .map((standing) => ({ standing, ...standing }))
    .map(({ standing, id, sha256, cloudReceipt, lostBy, held, isLocal, isDamaged }) => ({
      id,
      sha256,
      receiptNode: receiptOf(standing),
      ashore: cloudReceipt !== undefined,
      isLostByBox: lostBy !== null,
      held: held ?? null,
      isOnTablet: isLocal && !isDamaged,
    }));
}
