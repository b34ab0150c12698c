import type { Caller } from '../../../cloud-sync/api/access/caller';
import type { PersonId } from '../../../src/domain/ids';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { CloudOpResult, CloudOpsReply } from '../../../src/protocol/cloud-http';
import type { LeanAnswer, LeanRequest } from '../nodes/lean-app';
import { callerOf } from '../nodes/sim-cloud';
import { cloneOf } from '../virtual-loop';
import type { World } from '../world';
import { HOSTILE_BOX, HOSTILE_PERSON, HOSTILE_TABLET } from './identities';

/** Callers that the party is ashore: what a box token, a tablet's credential and a session give. */
export const SIDES = {
  box: callerOf('box', { node: HOSTILE_BOX }),
  tablet: callerOf('device', { deviceId: HOSTILE_TABLET, person: HOSTILE_PERSON }),
  person: callerOf('person', { person: HOSTILE_PERSON }),
} as const;
export type Side = keyof typeof SIDES;

/** The party at the cloud's routes. */
export class Ashore {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Submits items as a side; empty if the cloud does not answer. */
  submit(side: Side, items: readonly unknown[]): readonly CloudOpResult[] {
    const answer = this.#ask('POST /api/ops', { body: { ops: items } }, SIDES[side]);
    return (answer?.body as CloudOpsReply | undefined)?.results ?? [];
  }

  /** Reads the whole feed of a side. */
  read(side: Side, deviceId?: string): ChangesPage | undefined {
    const caller = deviceId === undefined ? SIDES[side] : { ...SIDES[side], deviceId };
    return this.#ask('GET /api/changes', { query: { since: 0, limit: 1000 } }, caller)?.body as ChangesPage | undefined;
  }

  #ask(route: string, request: LeanRequest, caller: Caller): LeanAnswer | undefined {
    const { cloud } = this.#world;
    const { running } = cloud ?? {};
    if (cloud === undefined || running === undefined || !cloud.alive) return undefined;
    const answer = this.#world.tryOn(running.life, () =>
      running.lean.ask(route, { cloudCaller: caller, ...cloneOf(request) }),
    );
    return answer === undefined || answer.status >= 300 ? undefined : cloneOf(answer);
  }
}

/** Names that stand for a side in grants. */
export function subjectsOf(side: Side): readonly string[] {
  return side === 'box' ? [`node:${HOSTILE_BOX}`] : [`person:${HOSTILE_PERSON as PersonId}`];
}
