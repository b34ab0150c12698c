import type { SurveyId } from '../../../domain/ids';
import type { OpIndex } from '../../ops/op-index';
import type { OpsStore } from '../../ops/ops-store';
import type { EdgeLinkKeeper, EdgeConnection } from '../../transport/edge/edge-link-keeper';
import { owedAmount, owedTo } from './outbox';
import type { TabletSync } from '../tablet-sync';

/** Protocol, `owing`: "at most every two seconds". */
const REPORT_INTERVAL_MS = 2000;

/**
 * Reports to the box what this tablet still owes it, after verification and on change, for the crew. Only a hint; an
 * older box without this event is left alone.
 *
 * @returns function that stops it
 */
export function reportOwed(store: OpsStore, opIndex: OpIndex, link: EdgeLinkKeeper, sync: TabletSync): () => void {
  let lastReport: { readonly verified: EdgeConnection; readonly words: string } | undefined;
  let cancelTimer: (() => void) | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const unsupported = new WeakSet<EdgeConnection>();

  const report = (): void => {
    cancelTimer = undefined;
    const verified = link.current;
    if (verified === undefined || unsupported.has(verified) || sync.sendingTab.get() !== 'here') return;
    const { inFlight } = sync.progress.facts.get();
    const owed = owedTo(opIndex, verified.edge);
    const photographs = owed.filter(({ kind }) => kind === 'image');
    const survey = opIndex.entries.get(
      inFlight.find(({ bytes }) => bytes > 0)?.opId ?? photographs[0]?.opId ?? owed[0]?.opId ?? ('' as never),
    )?.surveyId as SurveyId | undefined;
    const message = {
      ...owedAmount(opIndex, owed, verified.edge, inFlight),
      ...(survey === undefined ? {} : { survey }),
    };
    const words = JSON.stringify(message);
    if (lastReport?.verified === verified && lastReport.words === words) return;
    lastReport = { verified, words };
    lastAt = store.host.clock.elapsed();
    verified.socket.request('owing', message).catch((error: unknown) => {
      unsupported.add(verified);
      store.host.log.note('info', 'The box does not accept reports of what is still to send.', {
        error: String(error),
      });
    });
  };
  const scheduleReport = (): void => {
    cancelTimer ??= store.host.timers.after(
      Math.max(0, lastAt + REPORT_INTERVAL_MS - store.host.clock.elapsed()),
      report,
    );
  };
  const stops = [
    opIndex.onChange(scheduleReport),
    link.state.subscribe(scheduleReport),
    sync.progress.facts.subscribe(scheduleReport),
  ];
  return () => {
    stops.forEach((stop) => stop());
    cancelTimer?.();
  };
}
