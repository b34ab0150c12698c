import { ReefError } from '../../../src/domain/errors';
import { bearerToken } from '../accounts/sessions/bearer-token';
import type { Caller, Callers, CallerHeaders } from '../context';
import { ANONYMOUS_CALLER } from '../context';
import type { BoxCredential, Boxes } from '../fleet/boxes';

/**
 * Finds who a bearer token belongs to; undefined where it is of another kind.
 *
 * @throws ReefError `forbidden` for one that was revoked
 */
export type CallerSource = (token: string) => Promise<Caller | undefined>;

/** A page of the feed that is another box's would be taken for this one's: its cursor would pass what it never saw. */
const SEVERAL_BOXES_MESSAGE =
  'This token serves several boxes. Say which of them reads (node), or give each its own token in the fleet console.';

/** Who calls: whoever the sources know, else a box by its token. */
export class CloudCallers implements Callers {
  readonly #boxes: Boxes;
  readonly #sources: readonly CallerSource[];
  readonly #credentials = new WeakMap<Caller, BoxCredential>();

  constructor(boxes: Boxes, others: readonly CallerSource[] = []) {
    this.#boxes = boxes;
    this.#sources = others;
  }

  async callerOf(request: CallerHeaders): Promise<Caller> {
    const token = bearerToken(request);
    if (token === undefined) return ANONYMOUS_CALLER;
    // These tell theirs by its look, and remember it; a box's token looks as whoever set it up liked.
    for (const source of this.#sources) {
      const caller = await source(token);
      if (caller !== undefined) return caller;
    }
    const credential = await this.#boxes.credential(token);
    return credential === undefined ? ANONYMOUS_CALLER : this.#asBox(credential, credential.node);
  }

  async forNode(_request: CallerHeaders, caller: Caller, node: string): Promise<Caller> {
    const credential = this.#credentials.get(caller);
    // A tablet may say which box it is near; its own credential is what counts.
    if (credential === undefined) return caller;
    await this.#boxes.recordVisit(credential, node);
    return this.#asBox({ ...credential, node }, node);
  }

  async forReader(request: CallerHeaders, caller: Caller, node: string | undefined): Promise<Caller> {
    if (node !== undefined) return this.forNode(request, caller, node);
    if (this.#credentials.get(caller)?.several === true)
      throw new ReefError('forbidden', { field: 'node', message: SEVERAL_BOXES_MESSAGE });
    return caller;
  }

  #asBox(credential: BoxCredential, node: string | null): Caller {
    const caller: Caller = { roles: new Set(['anyone', 'box']), person: null, deviceId: null, node };
    this.#credentials.set(caller, credential);
    return caller;
  }
}
