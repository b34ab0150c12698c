import type { Receipt } from '../../../src/protocol/receipt';
import { keyOf, textOf } from '../oracle';
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
    return [{ op: stored.op, by: stored.op.by ?? stored.by, brought: row.brought }];
  });
}

export function factsOf(world: World, party: HostileParty): Facts {
  const aboard = new Map<string, string[]>();
  for (const edge of world.edges)
    for (const op of edge.heldOps()) {
      const text = textOf(op);
      const nodes = aboard.get(text) ?? [];
      aboard.set(text, nodes);
      nodes.push(edge.running?.store.identity.nodeId ?? '');
    }
  const honest = new Set([...world.oracle.saved.values()].map(({ op }) => keyOf(op)));
  return {
    hasAccount: (person) => party.isAccount(person),
    isCertified: (person, key) => party.isCertified(person, key),
    isHonest: (op) => honest.has(keyOf(op)) && !party.made(op),
    alsoBroughtBy: (op) => {
      const text = textOf(op);
      const offered = [...(party.offered.get(text) ?? [])];
      return [...(aboard.get(text) ?? []), ...offered];
    },
  };
}
