import type { WireError } from '../../../domain/errors';
import { ReefError } from '../../../domain/errors';
import type { PersonId } from '../../../domain/ids';
import { draftFirst } from '../../../domain/op/draft';
import { schemaVersion } from '../../../domain/records';
import { newProfile } from '../../../domain/user/user';
import type { EdgeCache } from '../../cache/edge-cache';
import type { EdgeRow } from '../../ops/database';
import { forgetEdge, pairEdge, signInToEdge } from '../../sync/pairing/edge-pairing';
import type { SessionsReply } from '../../../protocol/edge-http';
import type { ConnectivityFacts } from '../../transport/connectivity';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { computedValue } from '../../../base/live-value';
import type { ObservableValue } from '../../../base/observable';
import { openEdgeNotice } from './edge-notice';
import type { LiveQuery, Observable } from '../live';
import { createLiveQuery } from '../live-query';
import { hasDocument, saveOp, type RepositoryContext } from '../repository-context';
import { bindInvitation } from '../account/invitation';
import { setCurrentPerson, type Person } from '../account/person';

/** Box paired with this tablet; its keys are pinned. */
export interface PairedEdge {
  readonly nodeId: string;
  readonly name: string;
  /** `https://name[:port]`. */
  readonly origin: string;
  readonly storeEpoch: string;
  readonly pairedAt: string;
}

export type EdgeLink =
  | { readonly status: 'unpaired' }
  | { readonly status: 'offline'; readonly edge: PairedEdge }
  | { readonly status: 'connecting'; readonly edge: PairedEdge; readonly attempt: number }
  /** `hasEnded`: the box ended this tablet's access: it accepts everything and shows nothing until they pair again. */
  | { readonly status: 'connected'; readonly edge: PairedEdge; readonly hasEnded?: true }
  /** The box asks for its code, has no common version, or shows another key. Capture continues; nothing is sent. */
  | { readonly status: 'refused'; readonly edge: PairedEdge; readonly why: WireError };

/** Boxes of this tablet: pairing, the connection, and signing in aboard. */
export interface EdgeLinkRepository {
  readonly state: Observable<EdgeLink>;
  readonly connectivity: Observable<ConnectivityFacts>;
  readonly paired: LiveQuery<PairedEdge>;
  /**
   * Pairs with a box, pins its keys, and signs the current user in aboard if only this tablet knows their name. `code` is not needed if the box pairs openly.
   * @param origin such as `https://reef.local`
   * @throws ReefError `pairing-required`, `pairing-wrong`, `unsupported-version`, `not-found` (no box answers there),
   * `disconnected`, `timeout`
   */
  readonly pair: (origin: string, code?: string) => Promise<PairedEdge>;
  /** Forgets a box. Its receipts stay valid; owed operations go to the next box. */
  readonly forget: (nodeId: string) => Promise<void>;
  /**
   * Signs a person in aboard and makes them the current user.
   * @throws ReefError from the box, `disconnected`
   */
  readonly signIn: (who: { name: { first: string; last: string }; email: string }) => Promise<Person>;
  /** True if the current box has signed in the current user by name. */
  readonly isSignedIn: () => Promise<boolean>;
  /** Notifies a reachable box that the person left; the tablet keeps sending. */
  readonly signOut: () => Promise<void>;
  readonly notice: Observable<string | null>;
  readonly dismissNotice: () => Promise<void>;
  readonly check: () => Promise<ConnectivityFacts>;
  readonly setOfflineByChoice: (offline: boolean) => Promise<void>;
  /** Pairing data for another tablet, if the box shares it with paired ones; null otherwise. */
  readonly invitation: () => Promise<Invitation | null>;
  readonly access: EdgeAccessRepository;
}

/** Access of the tablets to the connected box. */
interface EdgeAccessRepository {
  /**
   * Sessions that the current user may end, and those that ended lately.
   * @returns null while no box is connected, or if an older box has no list
   * @throws ReefError from the box, `disconnected`, `timeout`
   */
  readonly sessions: () => Promise<SessionsReply | null>;
  /**
   * Ends a session, or with `unpair` all of its tablet: it still delivers. The pairing code changes.
   * @throws ReefError `forbidden`, `not-found`, from the box, `disconnected`, `timeout`
   */
  readonly end: (id: string, unpair: boolean) => Promise<void>;
  /** @throws ReefError `forbidden`, from the box, `disconnected`, `timeout` */
  readonly renewCode: () => Promise<void>;
}

export interface Invitation {
  readonly origin: string;
  /** Empty if the box needs no code. */
  readonly code: string;
}

export function createEdgeLinkRepository(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
  cache: EdgeCache,
): EdgeLinkRepository & { readonly close: () => void } {
  const { store, opIndex, edgeLink, connectivity, self } = parts;
  const edgeNotice = openEdgeNotice(parts, person);
  const reconnect = async (): Promise<void> => {
    await opIndex.follow();
    await connectivity.check();
    edgeLink.drop();
    edgeLink.retryNow();
  };
  const signIn: EdgeLinkRepository['signIn'] = async (who) => {
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
    await bindInvitation(store, signedIn);
    await setCurrentPerson(store, person, signedIn);
    await store.setMeta('signedInAboard', { nodeId: edge.nodeId, uid: signedIn.uid });
    // The profile carries the address to the cloud, where proving it leads to this work.
    if (!(await hasDocument(parts, 'profile', signedIn.uid)))
      await saveOp(
        parts,
        draftFirst('profile', newProfile({ ...signedIn, hostname: parts.hostname }), {
          by: signedIn.uid,
          madeAt: store.isoNow(),
          schema: schemaVersion('profile'),
        }),
      );
    await reconnect();
    return signedIn;
  };
  return {
    state: linkFacts(parts),
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
      const here = person.get();
      if (here?.pending === true && here.email !== '')
        await signIn({ name: here.name, email: here.email }).catch((error: unknown) =>
          store.host.log.note('info', 'Paired, but not signed in aboard; "You" offers it.', { error: String(error) }),
        );
      return toPairedEdge(row);
    },
    forget: async (nodeId) => {
      await forgetEdge(store, nodeId);
      await cache.forgetEdge(nodeId);
      await reconnect();
    },
    signIn,
    isSignedIn: async () => {
      const known = await store.getMeta('signedInAboard');
      return (
        known !== undefined && known.nodeId === connectivity.currentEdge()?.nodeId && known.uid === person.get()?.uid
      );
    },
    signOut: async () => {
      const edge = connectivity.currentEdge();
      if (edge === undefined || connectivity.facts.get().answering !== 'edge') return;
      await new EdgeHttp(store.host, edge.origin)
        .signOut(edge.session)
        .catch((error: unknown) =>
          store.host.log.note('info', 'The box could not be notified of the sign-out.', { error: String(error) }),
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
    invitation: async () => {
      const verified = edgeLink.current;
      if (verified === undefined) return null;
      const { edge } = verified;
      const code = await new EdgeHttp(store.host, edge.origin).pairingCode(edge.session);
      return code === null ? null : { origin: edge.origin, code };
    },
    access: edgeAccess(parts),
  };
}

function edgeAccess({ store, edgeLink }: RepositoryContext): EdgeAccessRepository {
  const connected = (): { readonly http: EdgeHttp; readonly session: string } => {
    const edge = edgeLink.current?.edge;
    if (edge === undefined) throw new ReefError('disconnected');
    return { http: new EdgeHttp(store.host, edge.origin), session: edge.session };
  };
  return {
    sessions: async () => {
      if (edgeLink.current === undefined) return null;
      const { http, session } = connected();
      return http.sessions(session).catch((error: unknown) => {
        if (error instanceof ReefError && error.code === 'not-found') return null;
        throw error;
      });
    },
    end: async (id, unpair) => {
      const { http, session } = connected();
      await http.endSession(session, { id, unpair });
    },
    renewCode: async () => {
      const { http, session } = connected();
      await http.renewPairingCode(session);
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
        return { status: 'connected', edge, ...(edgeLink.current?.hasEnded === true ? { hasEnded: true } : {}) };
      case 'connecting':
        return { status: 'connecting', edge, attempt: state.attempt };
      case 'refused':
        return { status: 'refused', edge, why: state.why };
      case 'idle':
        return { status: 'offline', edge };
    }
  };
  return computedValue(compute, (refresh) => [
    edgeLink.acquire(),
    edgeLink.state.subscribe(refresh),
    opIndex.onChange(refresh),
    connectivity.answeringEdge.subscribe(refresh),
  ]);
}
