import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '../../src/domain/canonical';
import type { OpId, Sha256 } from '../../src/domain/ids';
import { makeId, opIdOf } from '../../src/domain/ids';
import type { OpDraft } from '../../src/domain/op/draft';
import { sealOp } from '../../src/domain/op/draft';
import type { Op } from '../../src/domain/op/op';

/** Device of the demo. New in each run, so that no operation id is reused. */
export class DemoDevice {
  readonly id = makeId((n) => randomBytes(n));
  readonly name = 'Demo content';
  #count = 0;

  seal(draft: OpDraft): Op {
    this.#count += 1;
    const opId: OpId = opIdOf(this.id, this.#count);
    return sealOp(draft, opId, createHash('sha256').update(canonicalJson(draft.body)).digest('hex') as Sha256);
  }
}
