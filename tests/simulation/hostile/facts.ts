import type { Receipt } from '../../../src/protocol/receipt';
import { keyOf } from '../oracle';
import type { World } from '../world';
import type { AcceptedWrite, Facts } from './access-rules';
import type { HostileParty } from './party';

/** Operations that the cloud accepted, in that order. */
export function acceptedWrites({ cloud }: World): AcceptedWrite[] {
  if (cloud === undefined) return [];
  return cloud.content.feed.flatMap((row) => {
    const stored = cloud.content.ops.get(row.opId);
    if (!row.own || row.for !== undefined || stored === undefined || !(JSON.parse(row.receipt) as Receipt).accepted)
      return [];
    return [{ op: stored.op, by: stored.op.by ?? stored.by, seq: row.seq }];
  });
}

export function factsOf(world: World, party: HostileParty): Facts {
  const honest = new Set([...world.oracle.saved.values()].map(({ op }) => keyOf(op)));
  return {
    hasAccount: (person) => party.isAccount(person),
    isCertified: (person, key) => party.isCertified(person, key),
    isHonest: (op) => honest.has(keyOf(op)) && !party.made(op),
    deliveriesOf: (op) => party.deliveries.of(op),
  };
}
