import type { Op } from '../../../src/domain/op/op';
import type { ChangesPage } from '../../../src/protocol/changes';
import { deviceAnswerText } from '../../../src/protocol/device-answer';
import type { SimEdge } from '../nodes/sim-edge';
import { cloneOf } from '../virtual-loop';
import type { World } from '../world';
import { HOSTILE_PERSON, HOSTILE_TABLET, partyKey } from './identities';

const EVENTS = { profile: 'profile', survey: 'survey', image: 'image:record', analysis: 'analysis' } as const;

interface Answer {
  readonly ok: boolean;
  readonly data?: ChangesPage;
  readonly session?: string;
  readonly error?: { readonly challenge?: string };
}

/** Hostile tablet at a box: paired, signed in as its own person, and sending what no app would. */
export class Aboard {
  readonly #sessions = new Map<string, string>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Sends an operation; undefined if the box does not answer. */
  send(edge: SimEdge, op: Op): unknown {
    return this.#talk(edge, (ask) => ask(EVENTS[op.kind], [{ op }]));
  }

  /** Reads the whole feed of a box. */
  read(edge: SimEdge): ChangesPage | undefined {
    return this.#talk(edge, (ask) => ask('query', [{ name: 'changes', params: { since: 0 } }]))?.data;
  }

  /** Opens a connection, verifies and does one thing. */
  #talk(
    edge: SimEdge,
    what: (ask: (event: string, args: readonly unknown[]) => Promise<unknown>) => Promise<unknown>,
  ): Answer | undefined {
    const world = this.#world;
    const session = edge.attend(
      () => undefined,
      () => undefined,
    );
    const life = edge.running?.life;
    if (session === undefined || life === undefined) return undefined;
    const ask = (event: string, args: readonly unknown[]): Promise<unknown> => session.handle(event, cloneOf(args));
    const known = this.#sessions.get(edge.name);
    const key = partyKey('device');
    const hello = {
      protocol: { min: 1, max: 1 },
      app: { version: '0' },
      device: { id: HOSTILE_TABLET, name: 'Tablet' },
      key: key.x,
      ...(known === undefined ? {} : { session: known }),
    };
    const asked = world.tryOn(life, () => ask('verify', [hello])) as Answer | undefined;
    const challenge = asked?.error?.challenge;
    const node = edge.nodeId;
    const verified =
      challenge === undefined || node === undefined
        ? asked
        : (world.tryOn(life, () =>
            ask('verify', [{ ...hello, answer: key.sign(deviceAnswerText({ node, challenge, key: key.x })) }]),
          ) as Answer | undefined);
    if (verified?.session !== undefined) this.#sessions.set(edge.name, verified.session);
    if (known === undefined) edge.signIn(HOSTILE_TABLET, HOSTILE_PERSON);
    const answer = verified?.ok === true ? (world.tryOn(life, () => what(ask)) as Answer | undefined) : undefined;
    session.leave();
    return answer;
  }
}
