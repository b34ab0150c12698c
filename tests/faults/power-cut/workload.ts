import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IndependentClient } from '../../independent/client';
import { newState } from '../../independent/state';
import type { ClientState, Item } from '../../independent/state';
import { seeded } from '../../support/seed';
import type { Given } from './recording';

const KIB = 1024;

/** Photograph as far as the box checks it: the first bytes of a JPEG, then incompressible bytes. */
function photograph(folder: string, name: string, bytes: number, seed: number): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  const head = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
  writeFileSync(file, Buffer.concat([head, seeded(seed).bytes(bytes - head.length)]));
  return file;
}

/** Tablet with its person and survey; its outbox survives restarts of the box. */
export class Tablet {
  readonly state: ClientState;
  readonly #uid: string;
  readonly #photographs: string;

  constructor(name: string, photographs: string, state = newState(name)) {
    this.state = state;
    this.#photographs = join(photographs, name);
    this.#uid = this.state.items[0]?.op.docId ?? this.state.deviceId;
  }

  /** Copy of the tablet in its current state, for a trial that may be discarded. */
  copy(): Tablet {
    return new Tablet(this.state.deviceName, this.#photographs, structuredClone(this.state));
  }

  /** Profile and survey. */
  async begin(url: string, code: string): Promise<void> {
    const client = this.#client(url, { code });
    client.addProfile(this.#uid, 'Ada', 'Reef', 'ada@example.org');
    client.addSurvey(this.#uid, 'North wall');
    await this.#drain(client);
  }

  /** Sends photographs of these sizes, one after the other. */
  async send(url: string, sizes: readonly number[], transport: 'socket' | 'http' = 'socket'): Promise<void> {
    const client = this.#client(url, { transport });
    for (const bytes of sizes) await this.#add(client, bytes);
    await this.#drain(client);
  }

  /** Changes the survey's name. */
  async edit(url: string, name: string): Promise<void> {
    const client = this.#client(url, {});
    this.#edit(client, name);
    await this.#drain(client);
  }

  /** Sends a photograph and calls `cut` before its n-th chunk leaves; what is owed then stays owed. */
  async sendUntil(url: string, bytes: number, chunk: number, cut: () => void): Promise<void> {
    let chunks = 0;
    const client: IndependentClient = this.#client(url, {
      onChunk: () => {
        if (++chunks !== chunk) return;
        cut();
        client.stop();
      },
    });
    await this.#add(client, bytes);
    await client.drain();
  }

  /** Sends a photograph to a box that dies on the way; what is owed then stays owed. */
  async sendUntilGone(url: string, bytes: number, gone: Promise<unknown>): Promise<void> {
    const client = this.#client(url, {});
    void gone.then(() => client.stop());
    await this.#add(client, bytes);
    await client.drain();
    if (client.owed().length === 0) throw new Error('The box took the whole photograph and did not die.');
    await gone;
  }

  /**
   * Changes the survey's name repeatedly, each time with a receipt, until the box is gone; the last change stays owed.
   */
  async editUntilGone(url: string, gone: Promise<unknown>): Promise<void> {
    const client = this.#client(url, {});
    void gone.then(() => client.stop());
    for (let edit = 1; edit < 50 && client.owed().length === 0; edit++) {
      this.#edit(client, `Edit ${edit}`);
      await client.drain();
    }
    if (client.owed().length === 0) throw new Error('The box took all changes and did not die.');
    await gone;
  }

  /** Sends what a previous end of the box left owed. */
  async resume(url: string): Promise<void> {
    await this.#drain(this.#client(url, {}));
  }

  /** Receipts that this tablet holds. */
  given(): Given[] {
    return this.state.items.flatMap(({ op, receipt }) => (receipt === undefined ? [] : [{ op, receipt }]));
  }

  /** Changes the survey's name, replacing the last change. */
  #edit(client: IndependentClient, name: string): void {
    const { op: last } = this.#surveys().at(-1) ?? missingSurvey();
    client.add(
      'survey',
      last.docId,
      { ...last.body, name },
      { by: this.#uid, lc: (last.lc ?? 1) + 1, over: { name: [last.opId] } },
    );
  }

  #surveys(): Item[] {
    return this.state.items.filter(({ op }) => op.kind === 'survey');
  }

  async #add(client: IndependentClient, bytes: number): Promise<void> {
    const number = this.state.items.length;
    await client.addPhotograph(
      this.#surveys()[0] ?? missingSurvey(),
      photograph(this.#photographs, `P${number}.jpg`, bytes, number * 7919 + bytes),
      this.#uid,
    );
  }

  #client(url: string, options: Partial<ConstructorParameters<typeof IndependentClient>[0]>): IndependentClient {
    return new IndependentClient({
      url,
      state: this.state,
      chunkBytes: 64 * KIB,
      reconnectStepMs: 50,
      reconnectMaxMs: 200,
      ...options,
    });
  }

  async #drain(client: IndependentClient): Promise<void> {
    const refused = await client.drain();
    client.stop();
    if (refused.length > 0)
      throw new Error(`The box refused ${refused.length} things: ${JSON.stringify(refused[0]?.refused)}`);
    if (client.owed().length > 0) throw new Error(`${client.owed().length} things are still owed.`);
  }
}

function missingSurvey(): never {
  throw new Error('The tablet has no survey yet.');
}

/**
 * Lengths in bytes that make one short chunk, exactly one, two and three: small, because all are hashed on every disk.
 */
export const SIZES = { short: 9 * KIB + 1, one: 64 * KIB, two: 70 * KIB, three: 140 * KIB } as const;
