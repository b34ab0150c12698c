import type { SocketClient } from '../../../src/platform/host';
import type { NetworkLink } from './network';
import type { SimEdge } from './sim-edge';
import type { Life } from '../virtual-loop';
import { cloneOf } from '../virtual-loop';

type Listener = (...args: never[]) => void;
type Session = NonNullable<ReturnType<SimEdge['attend']>>;

/** Tablet socket to a box over a simulated link: ordered until cut; messages in flight are then lost. */
export class SimSocket implements SocketClient {
  connected = false;
  sendBuffer: unknown[] = [];
  readonly #listeners = new Map<string, Listener[]>();
  #session: Session | undefined;
  #leaveWay: (() => void) | undefined;
  #ended = false;
  #challenged: ((message: readonly unknown[], answer: (reply: unknown) => void) => void) | undefined;
  #there = 0;
  #back = 0;

  readonly #way: NetworkLink;
  readonly #life: Life;
  readonly #edge: SimEdge;
  readonly #heard: (event: string, answer: unknown) => void;
  readonly #covered: (what: string) => void;

  constructor(
    way: NetworkLink,
    life: Life,
    edge: SimEdge,
    heard: (event: string, answer: unknown) => void,
    covered: (what: string) => void,
  ) {
    this.#way = way;
    this.#life = life;
    this.#edge = edge;
    this.#heard = heard;
    this.#covered = covered;
  }

  on(event: string, listener: Listener): void {
    const known = this.#listeners.get(event);
    if (known === undefined) this.#listeners.set(event, [listener]);
    else known.push(listener);
  }

  connect(): void {
    const way = this.#way;
    const edge = this.#edge;
    way.loop.after(
      way.delay() * 2,
      () => {
        if (this.#ended || !this.#life.alive) return;
        const end = (): void => this.#end();
        const session =
          way.weather.up && edge.alive
            ? edge.attend((update) => this.#tell('update', cloneOf(update)), end)
            : undefined;
        if (session === undefined) {
          this.#call('connect_error', new Error('no server answers'));
          return;
        }
        this.#session = session;
        this.#leaveWay = way.keep(end);
        this.connected = true;
        this.#call('connect');
      },
      this.#life,
    );
  }

  disconnect(): void {
    this.#end();
  }

  emit(event: string, ...args: unknown[]): void {
    const way = this.#way;
    const session = this.#session;
    const edge = this.#edge;
    const serving = edge.running?.life;
    if (session === undefined || serving === undefined || this.#ended) return;
    const { weather, loop } = way;
    const answer = args.at(-1) as (reply: unknown) => void;
    const message = args.slice(0, -1).map(cloneOf);
    if (isChallengeAnswer(message[0]) && this.#challenged !== undefined) return this.#challenged(message, answer);
    if (way.chance(weather.loseRequest)) {
      this.#covered('request lost');
      loop.after(way.delay(), () => this.#end(), null);
      return;
    }
    const hangs = way.chance(weather.hang);
    if (hangs) this.#covered('hang');
    const losesAnswer = way.chance(weather.loseAnswer);
    const handle = (given: readonly unknown[], answers: boolean, acknowledge: (reply: unknown) => void): void =>
      void session.handle(event, given).then((reply) => {
        if (!serving.alive || this.#ended || !answers) return;
        const copy = cloneOf(reply);
        if (isChallenge(copy)) {
          // The answer shares the fate of the message that it repeats, so a challenge draws nothing.
          this.#challenged = (again, next) =>
            void loop.after(0, () => this.#ended || handle(again, true, next), serving);
          loop.after(0, () => this.#ended || acknowledge(copy), this.#life);
          return;
        }
        if (hangs) return;
        if (losesAnswer) {
          this.#covered('answer lost');
          loop.after(way.delay(), () => this.#end(), null);
          return;
        }
        this.#back = Math.max(this.#back, loop.now + way.delay());
        loop.after(
          this.#back - loop.now,
          () => {
            if (this.#ended) return;
            this.#heard(event, copy);
            acknowledge(copy);
          },
          this.#life,
        );
      });
    const deliver = (answers: boolean): void => {
      this.#there = Math.max(this.#there, loop.now + way.delay());
      loop.after(this.#there - loop.now, () => this.#ended || handle(message, answers, answer), serving);
    };
    deliver(true);
    if (way.chance(weather.twice)) {
      this.#covered('twice');
      deliver(false);
    }
  }

  #tell(event: string, value: unknown): void {
    const { loop } = this.#way;
    this.#back = Math.max(this.#back, loop.now + this.#way.delay());
    loop.after(this.#back - loop.now, () => !this.#ended && this.#call(event, value), this.#life);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.connected = false;
    this.#leaveWay?.();
    this.#session?.leave();
    this.#way.loop.after(0, () => this.#call('disconnect'), this.#life);
  }

  #call(event: string, ...args: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) (listener as (...given: unknown[]) => void)(...args);
  }
}

function isChallenge(reply: unknown): boolean {
  const { error } = reply as { readonly error?: { readonly challenge?: unknown; readonly field?: unknown } };
  return error?.challenge !== undefined && error.field === undefined;
}

function isChallengeAnswer(message: unknown): boolean {
  return (message as { readonly answer?: unknown }).answer !== undefined;
}
