import type { WireError } from '../../../domain/errors';
import type { EdgeGps, EdgeMeta, EdgeSender, EdgeSurvey, EdgeTrackFix, QueryData } from '../../../protocol/edge-socket';
import { ReefError } from '../../../domain/errors';
import type { PersonId } from '../../../domain/ids';
import { draftFirst } from '../../../domain/op/draft';
import { schemaVersion } from '../../../domain/records';
import { newProfile } from '../../../domain/user/user';
import { recordOwner } from '../../../domain/policy/topic-policy';
import type { EdgeCache } from '../../cache/edge-cache';
import type { EdgeRow } from '../../ops/database';
import { measureEdgeClock, type EdgeClock } from '../../sync/pairing/edge-clock';
import { forgetEdge, pairEdge, signInToEdge } from '../../sync/pairing/edge-pairing';
import type { ConnectivityFacts } from '../../transport/connectivity';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { ObservableValue, isSameJson } from '../../transport/observable';
import { EdgeAnswers, type EdgeAnswerTimes } from './edge-answers';
import { openEdgeNotice } from './edge-notice';
import type { LiveQuery, Observable } from '../live';
import { createLiveQuery } from '../live-query';
import { OTHERS_SURVEY_NAME } from '../custody/custody-repository';
import { hasDocument, saveOp, type RepositoryContext } from '../repository-context';
import { setCurrentPerson, type Person } from '../account/person-repository';

/** A box that this tablet is paired with; its keys are pinned. */
export interface PairedEdge {
  readonly nodeId: string;
  readonly name: string;
  /** `https://name[:port]`. */
  readonly origin: string;
  readonly storeEpoch: string;
  readonly pairedAt: string;
}

/** How the connection to the box stands. */
export type EdgeLink =
  | { readonly status: 'unpaired' }
  | { readonly status: 'offline'; readonly edge: PairedEdge }
  | { readonly status: 'connecting'; readonly edge: PairedEdge; readonly attempt: number }
  | { readonly status: 'connected'; readonly edge: PairedEdge }
  /** The box wants its code again, or speaks no version of ours, or shows another key. Capture goes on; nothing is sent. */
  | { readonly status: 'refused'; readonly edge: PairedEdge; readonly why: WireError };

/** The boxes of this tablet: pairing, signing in aboard, what the box knows. */
export interface EdgeRepository {
  readonly link: Observable<EdgeLink>;
  readonly connectivity: Observable<ConnectivityFacts>;
  readonly paired: LiveQuery<PairedEdge>;
  /**
   * Pairs with a box and pins its keys. `code` is not needed where the box pairs openly.
   *
   * @param origin such as `https://reef.local`; a page served by a box passes its own `location.origin`
   * @throws ReefError `pairing-required`, `pairing-wrong`, `unsupported-version`, `not-found` (no box answers there),
   *   `disconnected`, `timeout`
   */
  readonly pair: (origin: string, code?: string) => Promise<PairedEdge>;
  /** Forgets a box. What it receipted stays receipted; what is owed goes to the next one. */
  readonly forget: (nodeId: string) => Promise<void>;
  /** Signs a person in aboard; they become the current person. @throws ReefError as the box answers, `disconnected` */
  readonly signIn: (who: { name: { first: string; last: string }; email: string }) => Promise<Person>;
  /** Tells the box, where one answers, that the person left; the tablet goes on sending. */
  readonly signOut: () => Promise<void>;
  /** What the box told the person who is at the tablet, until they read it: why their sign-in was ended from shore. */
  readonly notice: Observable<string | null>;
  readonly dismissNotice: () => Promise<void>;
  /** Checks at once who answers. */
  readonly check: () => Promise<ConnectivityFacts>;
  readonly setOfflineByChoice: (offline: boolean) => Promise<void>;
  /** Live answers of the box while someone listens; `stale` with the last ones while it is away. At most one item for meta and gps. */
  readonly meta: LiveQuery<EdgeMeta>;
  readonly gps: LiveQuery<EdgeGps>;
  readonly surveys: LiveQuery<EdgeSurvey>;
  /** Who sends to the box, and what is still to come from each. */
  readonly senders: LiveQuery<EdgeSender>;
  /** Where the vessel was in the last day. */
  readonly recentTrack: LiveQuery<EdgeTrackFix>;
  /** When each of these answers came; over a restart too. */
  readonly answerTimes: Observable<EdgeAnswerTimes>;
  /**
   * The stored track of a span, at most 2000 fixes in the order of time.
   *
   * @param from and `to` ISO 8601
   * @throws ReefError `disconnected` while the box is away, `timeout`, as the box answers
   */
  readonly track: (from: string, to: string) => Promise<readonly EdgeTrackFix[]>;
  /** How the clock of the box that answers stands to this tablet's, measured now; null while none answers. */
  readonly measureClock: () => Promise<EdgeClock | null>;
  /** With what another tablet is paired, where the box tells a paired one; null while it is away or does not. */
  readonly invitation: () => Promise<Invitation | null>;
}

/** With what another tablet is paired. */
export interface Invitation {
  readonly origin: string;
  /** Empty where the box needs no code. */
  readonly code: string;
}

export function createEdgeRepository(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
  cache: EdgeCache,
): EdgeRepository & { readonly close: () => void } {
  const { store, opIndex, edgeLink, connectivity, self, access } = parts;
  const answers = new EdgeAnswers(parts, cache);
  const edgeNotice = openEdgeNotice(parts, person);
  const reconnect = async (): Promise<void> => {
    await opIndex.follow();
    await connectivity.check();
    edgeLink.drop();
    edgeLink.retryNow();
  };
  return {
    link: linkFacts(parts),
    connectivity: connectivity.facts,
    paired: createLiveQuery<PairedEdge>({
      start: (tell) => {
        const show = (): void => tell.items(opIndex.edges.map(toPairedEdge));
        show();
        return opIndex.onChange(show);
      },
    }),
    pair: async (origin, code) => {
      const row = await pairEdge(store, self, new URL(origin).origin, code);
      await reconnect();
      return toPairedEdge(row);
    },
    forget: async (nodeId) => {
      await forgetEdge(store, nodeId);
      await cache.forgetEdge(nodeId);
      await reconnect();
    },
    signIn: async (who) => {
      const edge = connectivity.currentEdge();
      if (edge === undefined) throw new ReefError('pairing-required');
      const user = await signInToEdge(store, self, edge, who);
      const signedIn: Person = {
        uid: user.uid as PersonId,
        name: user.name,
        email: user.email,
        org: null,
        pending: user.pending,
      };
      await setCurrentPerson(store, person, signedIn);
      // The address goes ashore with it: whoever proves it there finds what was written here.
      if (!(await hasDocument(parts, 'profile', signedIn.uid)))
        await saveOp(
          parts,
          draftFirst('profile', newProfile(signedIn), {
            by: signedIn.uid,
            madeAt: store.isoNow(),
            schema: schemaVersion('profile'),
          }),
        );
      await reconnect();
      return signedIn;
    },
    signOut: async () => {
      const edge = connectivity.currentEdge();
      if (edge === undefined || connectivity.facts.get().answering !== 'edge') return;
      await new EdgeHttp(store.host, edge.origin)
        .signOut(edge.session)
        .catch((error: unknown) =>
          store.host.log.note('info', 'The box could not be told of the signing out.', { error: String(error) }),
        );
    },
    notice: edgeNotice.notice,
    dismissNotice: edgeNotice.noteRead,
    close: edgeNotice.close,
    check: () => connectivity.check(),
    setOfflineByChoice: async (offline) => {
      await store.setMeta('offlineByChoice', offline);
      await connectivity.setOffline(offline);
      if (!offline) return;
      edgeLink.drop();
      parts.cloudLink.drop();
    },
    meta: answers.follow('meta', (data) => [data]),
    gps: answers.follow('gps', (data) => (data === null ? [] : [data])),
    surveys: answers.follow('surveys', (data) =>
      data.map((survey) =>
        access.canSeeRemoteSurvey(survey.id, recordOwner({ user: survey.user }))
          ? survey
          : { ...survey, name: OTHERS_SURVEY_NAME, date: '', loc: null, user: null },
      ),
    ),
    senders: answers.follow('senders', (data) =>
      data.map((sender) =>
        sender.survey === null || access.canSeeRemoteSurvey(sender.survey.id, null)
          ? sender
          : { ...sender, survey: { ...sender.survey, name: OTHERS_SURVEY_NAME } },
      ),
    ),
    recentTrack: answers.follow('track', (data) => data.fixes),
    answerTimes: answers.times,
    track: async (from, to) => {
      const verified = edgeLink.current;
      if (verified === undefined) throw new ReefError('disconnected');
      const { data } = await verified.socket.request('query', { name: 'track', params: { from, to } });
      return (data as QueryData['track']).fixes;
    },
    measureClock: async () => {
      const edge = connectivity.answeringEdge.get()?.edge;
      return edge === undefined ? null : measureEdgeClock(store.host, edge);
    },
    invitation: async () => {
      const verified = edgeLink.current;
      if (verified === undefined) return null;
      const { edge } = verified;
      const code = await new EdgeHttp(store.host, edge.origin).pairingCode(edge.session);
      return code === null ? null : { origin: edge.origin, code };
    },
  };
}

function toPairedEdge({ nodeId, name, origin, storeEpoch, pairedAt }: EdgeRow): PairedEdge {
  return { nodeId, name, origin, storeEpoch, pairedAt };
}

function linkFacts({ opIndex, edgeLink, connectivity }: RepositoryContext): Observable<EdgeLink> {
  const compute = (): EdgeLink => {
    const state = edgeLink.state.get();
    const present = connectivity.currentEdge();
    if (present === undefined) return { status: 'unpaired' };
    const edge = toPairedEdge(present);
    switch (state.status) {
      case 'connected':
        return { status: 'connected', edge };
      case 'connecting':
        return { status: 'connecting', edge, attempt: state.attempt };
      case 'refused':
        return { status: 'refused', edge, why: state.why };
      case 'idle':
        return { status: 'offline', edge };
    }
  };
  const cell = new ObservableValue<EdgeLink>(compute(), isSameJson);
  const refresh = (): void => cell.set(compute());
  return {
    get: () => {
      refresh();
      return cell.get();
    },
    subscribe: (onChange) => {
      const release = edgeLink.acquire();
      const stops = [
        cell.subscribe(() => onChange()),
        edgeLink.state.subscribe(refresh),
        opIndex.onChange(refresh),
        connectivity.answeringEdge.subscribe(refresh),
      ];
      refresh();
      return () => {
        stops.forEach((stop) => stop());
        release();
      };
    },
  };
}
