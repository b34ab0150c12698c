import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { TabletHost } from '../../../platform/host';
import type { EdgeConnection, EdgeLinkKeeper } from '../../transport/edge/edge-link-keeper';
import type { Observable } from '../live';
import type { Person } from './person';

/** Failures after which the same box is asked again on the same connection. */
const RETRY_CODES: readonly string[] = ['disconnected', 'timeout', 'rate-limited', 'internal'];

/**
 * Keeps the name that a box shows beside this tablet equal to that of the current user, if they signed in there,
 * whichever tab or tablet changed it; records carry it anyway. One request at a time: an earlier name never overtakes a
 * later one. The connection stays open until the box has the name, since it may have been released before the change.
 * Returns a function that stops it.
 */
export function keepNameAboard(
  { log, timers }: Pick<TabletHost, 'log' | 'timers'>,
  edgeLink: Pick<EdgeLinkKeeper, 'current' | 'state' | 'acquire'>,
  person: Observable<Person | null>,
): () => void {
  /** Latest connection, also after its end: what its box knows. */
  let latest: EdgeConnection | undefined;
  /** Connection on which a request failed, until its retry. */
  let resting: EdgeConnection | undefined;
  /** Connection on which the box refused the name. */
  let refused: EdgeConnection | undefined;
  let isHeld = false;
  let isSending = false;
  let isClosed = false;
  let release = (): void => undefined;
  let cancelRetry = (): void => undefined;

  const setHeld = (held: boolean): void => {
    if (isHeld === held) return;
    isHeld = held;
    if (held) release = edgeLink.acquire();
    else release();
  };
  const refresh = (): void => {
    if (isClosed) return;
    const { current } = edgeLink;
    latest = current ?? latest;
    const name = latest === refused ? undefined : nameOwedTo(latest, person.get());
    setHeld(name !== undefined);
    if (name === undefined || current === undefined || current === resting || isSending) return;
    isSending = true;
    void send(current, name).finally(() => {
      isSending = false;
      refresh();
    });
  };
  const send = async (connection: EdgeConnection, name: Person['name']): Promise<void> => {
    try {
      await connection.correctName(name);
    } catch (error) {
      log.note('info', 'The box was not told of a changed name; trying again later.', { error: String(error) });
      if (!(error instanceof ReefError) || !RETRY_CODES.includes(error.code)) {
        refused = connection;
        return;
      }
      resting = connection;
      cancelRetry();
      cancelRetry = timers.after(LIMITS.connectivityRetryMaxMs, () => {
        resting = undefined;
        refresh();
      });
    }
  };

  const stops = [person.subscribe(refresh), edgeLink.state.subscribe(refresh)];
  refresh();
  return () => {
    isClosed = true;
    stops.forEach((stop) => stop());
    cancelRetry();
    setHeld(false);
  };
}

/** Name of the current user that a box does not know yet; undefined if it knows it, or another person. */
function nameOwedTo(connection: EdgeConnection | undefined, person: Person | null): Person['name'] | undefined {
  const known = connection?.user;
  if (person === null || known?.pending !== true || known.uid !== person.uid) return undefined;
  const { first, last } = person.name;
  return first === known.name.first && last === known.name.last ? undefined : { first, last };
}
