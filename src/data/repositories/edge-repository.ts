import type { WireError } from '../../domain/errors';
import type { EdgeGps, EdgeMeta, EdgeSurvey } from '../../protocol/edge-socket';
import type { Live, Observable } from './live';
import type { Person } from './person-repository';

/** A box that this tablet is paired with; its keys are pinned. */
export interface PairedEdge {
  readonly nodeId: string;
  readonly name: string;
  /** `https://name[:port]`. */
  readonly origin: string;
  readonly storeEpoch: string;
  readonly pairedAt: string;
}

/** What is known of the way out, each fact by itself (house style, "Connectivity as facts"). */
export interface ConnectivityFacts {
  readonly browserOnline: boolean;
  /** The person's own choice to stay offline. */
  readonly offlineByChoice: boolean;
  /** Which server answers now with a nonce signed by a pinned key; `unknown` before the first check. */
  readonly answering: 'edge' | 'www' | 'none' | 'unknown';
  /** Something answered in its place without the right signature: a captive portal, or another box. */
  readonly impostor: boolean;
  /** True when an answer takes longer than 10 s. */
  readonly slow: boolean;
  /** ms since the epoch of the next check, where one is planned. */
  readonly nextCheckAt: number | null;
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
  readonly paired: Live<PairedEdge>;
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
  /** Checks at once who answers. */
  readonly check: () => Promise<ConnectivityFacts>;
  readonly stayOffline: (offline: boolean) => Promise<void>;
  /** Live answers of the box while someone listens; `stale` with the last ones while it is away. At most one item for meta and gps. */
  readonly meta: Live<EdgeMeta>;
  readonly gps: Live<EdgeGps>;
  readonly surveys: Live<EdgeSurvey>;
}
