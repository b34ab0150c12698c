import { ReefError } from '../../../src/domain/errors';
import type { Seeded } from '../../support/seed';
import type { Life, VirtualLoop } from '../virtual-loop';

/** Current conditions of a link between two nodes. Chances are fractions 0..1 of its messages. */
export interface LinkConditions {
  up: boolean;
  /** One-way latency, ms. */
  latency: readonly [least: number, most: number];
  /** Chance that the message and its connection are lost. */
  loseRequest: number;
  /** Chance that the work is done but the answer and connection are lost. */
  loseAnswer: number;
  /** Chance that the work is done twice. */
  twice: number;
  /** Chance that no answer and no error comes back. */
  hang: number;
}

export const CALM: LinkConditions = { up: true, latency: [1, 4], loseRequest: 0, loseAnswer: 0, twice: 0, hang: 0 };

/** Server's end of a link: its handler and the life that runs it. Undefined if no server answers. */
export interface Server {
  readonly life: Life;
  readonly serve: () => Promise<unknown>;
}

export type Coverage = Record<string, number>;

/** Link between two nodes: requests with answers and ordered socket messages, cut together. */
export class NetworkLink {
  weather: LinkConditions = { ...CALM };
  readonly #sockets = new Set<() => void>();

  readonly #random: Seeded;
  readonly #covered: (what: string) => void;

  constructor(
    readonly name: string,
    readonly loop: VirtualLoop,
    random: Seeded,
    covered: (what: string) => void,
  ) {
    this.#random = random;
    this.#covered = covered;
  }

  delay(): number {
    const [least, most] = this.weather.latency;
    return least + this.#random.fraction() * (most - least);
  }

  chance(of: number): boolean {
    return of > 0 && this.#random.fraction() < of;
  }

  /** Ends every connection on the link. */
  cut(): void {
    if (this.#sockets.size > 0) this.#covered('cut');
    for (const end of [...this.#sockets]) end();
  }

  set(change: Partial<LinkConditions>): void {
    const was = this.weather.up;
    this.weather = { ...this.weather, ...change };
    if (was && !this.weather.up) this.cut();
  }

  keep(end: () => void): () => void {
    this.#sockets.add(end);
    return () => this.#sockets.delete(end);
  }

  /**
   * Sends one HTTP request and returns its answer.
   *
   * @param server looked up when the request arrives
   * @throws ReefError `disconnected` if lost; the work may be done anyway
   */
  request(caller: Life, server: () => Server | undefined): Promise<unknown> {
    const { loop, weather } = this;
    return new Promise((resolve, reject) => {
      const fail = (): void => void loop.after(this.delay(), () => reject(new ReefError('disconnected')), caller);

      if (!weather.up) return fail();
      if (this.chance(weather.loseRequest)) {
        this.#covered('request lost');
        return fail();
      }
      const hangs = this.chance(weather.hang);
      const losesAnswer = this.chance(weather.loseAnswer);
      const twice = this.chance(weather.twice);
      const arrive = (answers: boolean): void => {
        loop.after(
          this.delay(),
          () => {
            const there = server();
            if (there === undefined || !there.life.alive) {
              if (answers) fail();
              return;
            }
            loop.as(there.life, () => {
              if (answers) there.life.onEnd(fail);
              there.serve().then(
                (value) => {
                  if (!answers || hangs) return;
                  if (!there.life.alive) return;
                  if (losesAnswer || !this.weather.up) {
                    this.#covered('answer lost');
                    fail();
                    return;
                  }
                  loop.after(this.delay(), () => resolve(value), caller);
                },
                (error: unknown) => {
                  if (answers && !hangs && there.life.alive)
                    loop.after(this.delay(), () => reject(error as Error), caller);
                },
              );
            });
          },
          null,
        );
      };
      if (hangs) this.#covered('hang');
      arrive(true);
      if (twice) {
        this.#covered('twice');
        arrive(false);
      }
    });
  }
}
