import type { SurveyId } from '../../domain/ids';
import type { Ledger } from '../ops/ledger';
import type { OpsStore } from '../ops/ops-store';
import type { EdgeLinkKeeper, Verified } from '../transport/edge-link';
import { owedTo } from './outbox';
import type { TabletSync } from './tablet-sync';

/** Protocol, `owing`: "at most every two seconds". */
const TELL_MS = 2000;

/**
 * Tells the box what this tablet still has for it, after each verification and when it changes, so that the crew sees what
 * is still to come from which tablet. A hint: nothing depends on it, and an older box that does not know the word is let be.
 *
 * @returns ends it
 */
export function tellOwing(store: OpsStore, ledger: Ledger, link: EdgeLinkKeeper, sync: TabletSync): () => void {
  let told: { readonly verified: Verified; readonly words: string } | undefined;
  let callOff: (() => void) | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const deaf = new WeakSet<Verified>();

  const tell = (): void => {
    callOff = undefined;
    const verified = link.current;
    if (verified === undefined || deaf.has(verified) || sync.place.get() !== 'here') return;
    const { inFlight } = sync.progress.facts.get();
    const owed = owedTo(ledger, verified.edge);
    const photographs = owed.filter(({ kind }) => kind === 'image');
    const sent = inFlight.reduce((sum, item) => sum + item.sent, 0);
    const survey = ledger.entries.get(
      inFlight.find(({ bytes }) => bytes > 0)?.opId ?? photographs[0]?.opId ?? owed[0]?.opId ?? ('' as never),
    )?.surveyId as SurveyId | undefined;
    const message = {
      records: owed.length - photographs.length,
      photographs: photographs.length,
      bytes: Math.max(
        0,
        photographs.reduce(
          (sum, { blob }) => sum + (blob !== undefined && ledger.hasBytes(blob.sha256) ? blob.bytes : 0),
          0,
        ) - sent,
      ),
      ...(survey === undefined ? {} : { survey }),
    };
    const words = JSON.stringify(message);
    if (told?.verified === verified && told.words === words) return;
    told = { verified, words };
    lastAt = store.host.clock.elapsed();
    verified.socket.request('owing', message).catch((error: unknown) => {
      deaf.add(verified);
      store.host.log.note('info', 'The box does not take the word of what is still to come.', { error: String(error) });
    });
  };
  const tellSoon = (): void => {
    callOff ??= store.host.timers.after(Math.max(0, lastAt + TELL_MS - store.host.clock.elapsed()), tell);
  };
  const stops = [ledger.onChange(tellSoon), link.state.subscribe(tellSoon), sync.progress.facts.subscribe(tellSoon)];
  return () => {
    stops.forEach((stop) => stop());
    callOff?.();
  };
}
