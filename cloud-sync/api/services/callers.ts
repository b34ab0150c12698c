import { ReefError } from '../../../src/domain/errors';
import { bearerOf } from '../auth/bearer';
import type { Caller, Callers, Calling } from '../context';
import { STRANGER } from '../context';
import type { BoxCredential, Boxes } from './boxes';

/**
 * Finds who a bearer token belongs to; undefined where it is of another kind.
 *
 * @throws ReefError `forbidden` for one that was revoked
 */
export type CallerSource = (token: string) => Promise<Caller | undefined>;

/** A page of the feed that is another box's would be taken for this one's: its cursor would pass what it never saw. */
const SEVERAL =
  'This token serves several boxes. Say which of them reads (node), or give each its own token in the fleet console.';

/** Who calls: whoever the sources know, else a box by its token. */
export class CloudCallers implements Callers {
  readonly #boxes: Boxes;
  readonly #others: readonly CallerSource[];
  readonly #credentials = new WeakMap<Caller, BoxCredential>();

  constructor(boxes: Boxes, others: readonly CallerSource[] = []) {
    this.#boxes = boxes;
    this.#others = others;
  }

  async callerOf(request: Calling): Promise<Caller> {
    const token = bearerOf(request);
    if (token === undefined) return STRANGER;
    // These tell theirs by its look, and remember it; a box's token looks as whoever set it up liked.
    for (const source of this.#others) {
      const caller = await source(token);
      if (caller !== undefined) return caller;
    }
    const credential = await this.#boxes.credential(token);
    return credential === undefined ? STRANGER : this.#asBox(credential, credential.node);
  }

  async atNode(_request: Calling, caller: Caller, node: string): Promise<Caller> {
    const credential = this.#credentials.get(caller);
    // A tablet may say which box it is near; its own credential is what counts.
    if (credential === undefined) return caller;
    await this.#boxes.arrive(credential, node);
    return this.#asBox({ ...credential, node }, node);
  }

  async reader(request: Calling, caller: Caller, node: string | undefined): Promise<Caller> {
    if (node !== undefined) return this.atNode(request, caller, node);
    if (this.#credentials.get(caller)?.several === true)
      throw new ReefError('forbidden', { field: 'node', message: SEVERAL });
    return caller;
  }

  #asBox(credential: BoxCredential, node: string | null): Caller {
    const caller: Caller = { roles: new Set(['anyone', 'box']), person: null, deviceId: null, node };
    this.#credentials.set(caller, credential);
    return caller;
  }
}
