import { ReefError } from '../../../src/domain/errors';
import type { Caller, Callers, Calling } from '../context';
import { STRANGER } from '../context';
import type { BoxCredential, Boxes } from './boxes';

/**
 * Finds who a bearer token or a cookie belongs to; undefined where it is of another kind.
 *
 * @throws ReefError `forbidden` for one that was revoked
 */
export type CallerSource = (token: string | undefined, request: Calling) => Promise<Caller | undefined>;

/** Who calls: a box by its token, else whoever the other sources know. */
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
    const credential = token === undefined ? undefined : await this.#boxes.credential(token);
    if (credential !== undefined) return this.#asBox(credential, credential.node);
    for (const source of this.#others) {
      const caller = await source(token, request);
      if (caller !== undefined) return caller;
    }
    return STRANGER;
  }

  async atNode(_request: Calling, caller: Caller, node: string): Promise<Caller> {
    const credential = this.#credentials.get(caller);
    // A tablet may say which box it is near; its own credential is what counts.
    if (credential === undefined) return caller;
    await this.#boxes.arrive(credential, node);
    return this.#asBox({ ...credential, node }, node);
  }

  #asBox(credential: BoxCredential, node: string | null): Caller {
    const caller: Caller = { roles: new Set(['anyone', 'box']), person: null, deviceId: null, node };
    this.#credentials.set(caller, credential);
    return caller;
  }
}

/** @throws ReefError `unauthorised` where a box has not said yet which it is */
export function nodeOf({ node }: Caller): string {
  if (node === null) throw new ReefError('unauthorised', { field: 'node', message: 'Say which box this is first.' });
  return node;
}

function bearerOf({ headers }: Calling): string | undefined {
  return /^bearer +(\S{1,8192}) *$/i.exec(headers.authorization ?? '')?.[1];
}
