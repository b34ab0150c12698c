import { ReefError } from '../../../src/domain/errors';
import { bearerToken } from '../accounts/sessions/bearer-token';
import type { Caller, Callers, CallerHeaders } from './caller';
import { ANONYMOUS_CALLER } from './caller';
import type { BoxCredential, Boxes } from '../fleet/boxes';

/**
 * Finds the owner of a bearer token; undefined for a token of another kind.
 *
 * @throws ReefError `forbidden` for a revoked one
 */
export type CallerSource = (token: string) => Promise<Caller | undefined>;

/** A page of another box's feed would move this box's cursor past entries it never saw. */
const SEVERAL_BOXES_MESSAGE =
  'This token serves several boxes. Name the one that reads (node), or create a token for each in the fleet console.';

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
    // These sources recognise their tokens by format and cache them; a box's token has no fixed format.
    for (const source of this.#sources) {
      const caller = await source(token);
      if (caller !== undefined) return caller;
    }
    const credential = await this.#boxes.credential(token);
    return credential === undefined ? ANONYMOUS_CALLER : this.#asBox(credential, credential.node);
  }

  async forNode(_request: CallerHeaders, caller: Caller, node: string): Promise<Caller> {
    const credential = this.#credentials.get(caller);
    // A tablet may name a nearby box; only its own credential counts.
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
