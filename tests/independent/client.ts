/**
 * Independent client of the box, written from docs/protocol.md alone without project code: any other implementation can
 * do the same. It pairs, keeps its outbox in a plain object that may be saved as JSON, sends it in the protocol's order
 * over socket or HTTP, checks every receipt, and continues after any break of the connection. From the command line:
 * `main.ts`.
 */
import { generateKeyPairSync } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  canonicalJson,
  deviceAnswer,
  receiptFault,
  sha256,
  type Json,
  type JsonObject,
  type Op,
  type Receipt,
} from './canonical';
import { mediaType, newId, newState, type ClientOptions, type ClientState, type Item, type Verified } from './state';
import { opened, request, Wire, WireError } from './wire';

const RETRIES = 3;
/** Maximum number of challenges answered on one connection. */
const CHALLENGES_MAX = 3;
const ORDER = ['profile', 'survey', 'image', 'analysis'];
const CHUNK_MIN = 64 * 1024;
const CHUNK_MAX = 4 * 1024 * 1024;

/** Independent client; see the head of this file. */
export class IndependentClient {
  readonly state: ClientState;
  /** Last answer to `verify`. */
  verified: Verified | undefined;
  /** Connections that ended during work. */
  breaks = 0;
  #wire: Wire | undefined;
  #stopped = false;
  #connecting: Promise<Wire> | undefined;

  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.state = options.state ?? newState();
  }

  /** Adds the next op of this device; the body is hashed as it is. */
  add(kind: Op['kind'], docId: string, body: JsonObject, more: Partial<Pick<Op, 'by' | 'lc' | 'over'>> = {}): Item {
    this.state.counter += 1;
    const op: Op = {
      v: 1,
      opId: `${this.state.deviceId}-${this.state.counter}`,
      kind,
      docId,
      ...more,
      madeAt: new Date().toISOString(),
      schema: 1,
      body,
      sha256: sha256(canonicalJson(body)),
    };
    const item: Item = { op };
    this.state.items.push(item);
    this.#keep();
    return item;
  }

  /** Adds a person; the uid is their personId. */
  addProfile(uid: string, first: string, last: string, email: string): Item {
    return this.add('profile', uid, { uid, name: { first, last }, email }, { by: uid });
  }

  /** Adds a survey of this person. */
  addSurvey(uid: string, name: string, regionId = 'gbr'): Item {
    const id = newId();
    return this.add(
      'survey',
      id,
      {
        id,
        date: new Date().toISOString().slice(0, 10),
        name,
        isDeleted: false,
        user: { uid, org: null },
        loc: { id: 'unlisted', regionId, name },
      },
      { by: uid },
    );
  }

  /** Adds a photograph from a file to a survey; the file is hashed now and read again when it is sent. */
  async addPhotograph(survey: Item, file: string, uid: string): Promise<Item> {
    const bytes = await readFile(file);
    const id = newId();
    const hash = sha256(bytes);
    const body = {
      id,
      survey: { id: survey.op.docId, name: survey.op.body['name'] ?? '' },
      user: { uid },
      isDeleted: false,
      sha256: hash,
      bytes: bytes.length,
    };
    const item = this.add('image', id, body, { by: uid });
    item.photo = {
      file,
      path: path.basename(file),
      bytes: bytes.length,
      sha256: hash,
      type: mediaType(bytes.subarray(0, 16)),
      surveyId: survey.op.docId,
    };
    this.#keep();
    return item;
  }

  /**
   * Connects if needed and verifies; pins the box's key the first time, and voids its receipts if its store was
   * replaced.
   */
  ensureVerified(): Promise<Wire> {
    if (this.#wire?.connected === true && this.verified !== undefined) return Promise.resolve(this.#wire);
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #connect(): Promise<Wire> {
    this.#drop();
    const wire = await Wire.open(this.#options.url, this.#timeoutMs, this.#options.ca);
    this.#wire = wire;
    const message = {
      protocol: { min: 1, max: 1 },
      app: { version: '0.0.0-independent' },
      device: { id: this.state.deviceId, name: this.state.deviceName },
      ...(this.state.session === undefined ? {} : { session: this.state.session }),
      ...(this.state.session === undefined && this.#options.code !== undefined ? { code: this.#options.code } : {}),
    };
    this.#accept(await this.#verify(wire, message), 'code' in message);
    return wire;
  }

  /** Verifies with the device's key: the box asks a question first, and another one after a message that came twice. */
  async #verify(wire: Wire, message: JsonObject): Promise<Verified> {
    const { state } = this;
    const deviceKey = (state.deviceKey ??= generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }));
    const keyed = { ...message, key: deviceKey.x ?? '' };
    let answer: string | undefined;
    for (let asked = 0; ; asked++) {
      try {
        return await wire.ask<Verified>(
          'verify',
          [answer === undefined ? keyed : { ...keyed, answer }],
          this.#timeoutMs,
        );
      } catch (error) {
        const challenge = error instanceof WireError ? error.details['challenge'] : undefined;
        if (typeof challenge !== 'string' || asked === CHALLENGES_MAX) throw error;
        // The box is pinned at pairing; another box needs another pairing.
        if (state.nodeId === undefined || 'code' in message) state.nodeId = await this.#node();
        answer = deviceAnswer(deviceKey, state.nodeId, challenge);
      }
    }
  }

  /** Box at this address, by its node trace. */
  async #node(): Promise<string> {
    const { body } = await request(new URL('/edge/trace', this.#options.url).href, {
      timeoutMs: this.#timeoutMs,
      ca: this.#options.ca,
    });
    return /^node=(.+)$/m.exec(body.toString('utf8'))?.[1] ?? '';
  }

  #accept(verified: Verified, paired: boolean): void {
    const state = this.state;
    // The key is pinned at pairing; another key needs another pairing.
    if (state.key === undefined || paired) state.key = verified.publicKey;
    else if (state.key['x'] !== verified.publicKey['x'])
      throw new WireError('receipt-mismatch', 'the box shows another key than the one pinned', false);
    if (state.storeEpoch !== undefined && state.storeEpoch !== verified.edge.storeEpoch) {
      this.#say(`the box has a new store: all ${state.items.length} things are offered again`);
      state.cursor = 0;
      for (const item of state.items) delete item.receipt;
    }
    state.storeEpoch = verified.edge.storeEpoch;
    state.session = verified.session;
    this.verified = verified;
    this.#keep();
  }

  /** Sends one event on a verified socket. */
  async ask<T>(event: string, ...args: unknown[]): Promise<T> {
    const wire = await this.ensureVerified();
    return wire.ask<T>(event, args, this.#timeoutMs);
  }

  /** Queries over the socket (protocol, Edge socket, 8). */
  async query<T>(name: string, params?: JsonObject): Promise<T> {
    return (await this.ask<{ data: T }>('query', { name, ...(params === undefined ? {} : { params }) })).data;
  }

  /** Reads the change feed from this client's cursor to its end; checks the hash of each op. */
  async pull(limit = 200): Promise<{ seq: number; op?: Op; receipt?: Receipt }[]> {
    const all: { seq: number; op?: Op; receipt?: Receipt }[] = [];
    for (;;) {
      await this.ensureVerified();
      const page = await this.query<{ storeEpoch: string; entries: typeof all; next: number }>('changes', {
        since: this.state.cursor,
        limit,
      });
      for (const { op, seq } of page.entries) {
        if (seq <= this.state.cursor)
          throw new WireError('bad-answer', `entry ${seq} is not past ${this.state.cursor}`, false);
        if (op !== undefined && sha256(canonicalJson(op.body)) !== op.sha256)
          throw new WireError('hash-mismatch', `op ${op.opId} has another body on the box`, false);
      }
      all.push(...page.entries);
      this.state.cursor = page.next;
      this.#keep();
      if (page.entries.length === 0) return all;
    }
  }

  /** Items without receipt or refusal, in sending order. */
  owed(): Item[] {
    const left = this.state.items.filter((item) => item.receipt === undefined && item.refused === undefined);
    return left.sort((a, b) => ORDER.indexOf(a.op.kind) - ORDER.indexOf(b.op.kind));
  }

  /**
   * Sends everything owed and returns what was refused. Waits out any break of the connection (or until `stop`); a
   * retryable refusal is retried three times, then the item stays queued.
   */
  async drain(): Promise<Item[]> {
    while (this.owed().length > 0 && !this.#stopped) {
      await this.#work(['profile', 'survey'], 1);
      await this.#work(['image'], this.#options.imagesAtATime ?? 1);
      await this.#work(['analysis'], 1);
    }
    return this.state.items.filter((item) => item.refused !== undefined);
  }

  /** Sends owed items of these kinds, so many at a time. */
  async #work(kinds: readonly string[], atATime: number): Promise<void> {
    const underWay = new Set<Item>();
    const worker = async (): Promise<void> => {
      let broken = 0;
      let tries = 0;
      // An earlier item (a replaced store makes a survey owed again) ends this round.
      const next = (): Item | undefined => {
        const [first] = this.owed();
        if (first === undefined || ORDER.indexOf(first.op.kind) < ORDER.indexOf(kinds[0] ?? '')) return undefined;
        return this.owed().find((item) => kinds.includes(item.op.kind) && !underWay.has(item));
      };
      for (let item = next(); item !== undefined && !this.#stopped; item = next()) {
        underWay.add(item);
        try {
          await this.#send(item);
          broken = 0;
          tries = 0;
        } catch (error) {
          if (!(error instanceof WireError)) throw error;
          if (error.code === 'disconnected' || error.code === 'timeout') {
            this.breaks += 1;
            broken += 1;
            this.#drop();
            await pause(
              Math.min(this.#step * broken, this.#options.reconnectMaxMs ?? 25_000) * (1 + Math.random() / 4),
            );
          } else if (tries < RETRIES) {
            tries += 1;
            await this.#recover(error, item, tries);
          } else {
            tries = 0;
            this.#refuse(item, error);
          }
        } finally {
          underWay.delete(item);
          this.#keep();
        }
      }
    };
    await Promise.all(Array.from({ length: atATime }, worker));
  }

  /** Recovers from a refusal before the next attempt; records a final refusal at once. */
  async #recover(error: WireError, item: Item, tries: number): Promise<void> {
    if (error.code === 'unauthorised' && this.state.session !== undefined && this.#options.code !== undefined) {
      delete this.state.session;
      this.#drop();
    } else if (error.code === 'receipt-mismatch') this.#reissue(error.message);
    else if (error.retryable) await pause((this.#options.retryDelayMs ?? 1000) * 2 ** (tries - 1));
    else this.#refuse(item, error);
  }

  #refuse(item: Item, error: WireError): void {
    item.refused = { code: error.code, message: error.message };
    this.#say(`${item.op.kind} ${item.op.docId} refused: ${error.code} ${error.message}`);
  }

  /** Retries refused items (space is back, or a person resolved it). */
  retryRefused(): void {
    for (const item of this.state.items) delete item.refused;
  }

  /** Handles a restored or cloned device: a new deviceId, and unsent items are reissued under it. */
  #reissue(why: string): void {
    this.state.deviceId = newId();
    this.state.counter = 0;
    this.#say(`receipt-mismatch (${why}): a new device id, ${this.owed().length} things issued again`);
    for (const item of this.owed()) item.op = { ...item.op, opId: `${this.state.deviceId}-${++this.state.counter}` };
    this.#drop();
  }

  async #send(item: Item): Promise<void> {
    if (item.photo !== undefined) await this.#sendBytes(item.photo, item.op.docId);
    const event = item.op.kind === 'image' ? 'image:record' : item.op.kind;
    const { receipt } = await this.ask<{ receipt: Receipt }>(event, { op: item.op });
    const { key, storeEpoch } = this.state;
    if (key === undefined || storeEpoch === undefined) throw new WireError('unauthorised', 'not verified', false);
    const fault = receiptFault(receipt, item.op, key, storeEpoch);
    if (fault !== undefined) throw new WireError('receipt-mismatch', fault, false);
    item.receipt = receipt;
    this.#say(`${item.op.kind} ${item.op.docId}: receipt ${receipt.seq}`);
  }

  async #sendBytes(photo: NonNullable<Item['photo']>, imageId: string): Promise<void> {
    const { surveyId, path: name, bytes, sha256: hash, type } = photo;
    const start = await this.ask<{ uploadId: string; offset: number; complete: boolean }>('image:path', {
      surveyId,
      imageId,
      path: name,
      bytes,
      sha256: hash,
      type,
    });
    if (start.complete) return;
    const file = await open(photo.file, 'r');
    try {
      let offset = start.offset;
      let corrections = 0;
      while (offset < bytes) {
        const chunk = Buffer.alloc(Math.min(this.#chunkBytes, bytes - offset));
        await file.read(chunk, 0, chunk.length, offset);
        try {
          this.#options.onChunk?.({ docId: imageId, offset, bytes: chunk.length });
          offset =
            this.#options.transport === 'http'
              ? await this.#patch(start.uploadId, offset, chunk)
              : (await this.ask<{ offset: number }>('image:binary', { uploadId: start.uploadId, offset }, chunk))
                  .offset;
        } catch (error) {
          if (!(error instanceof WireError) || error.code !== 'offset-mismatch' || ++corrections > RETRIES) throw error;
          offset = Number(error.details['offset']);
        }
      }
    } finally {
      await file.close();
    }
  }

  async #patch(uploadId: string, offset: number, chunk: Uint8Array): Promise<number> {
    const headers = {
      authorization: `Bearer ${this.state.session ?? ''}`,
      'content-type': 'application/partial-upload',
      'upload-offset': String(offset),
    };
    const answer = await this.http(`/edge/uploads/${uploadId}`, { method: 'PATCH', headers, body: chunk });
    const { offset: next } = opened<{ offset: number }>(asJson(answer.body));
    if (answer.status !== 200 || answer.headers['upload-offset'] !== String(next))
      throw new WireError(
        'bad-answer',
        `PATCH answered ${answer.status}, Upload-Offset ${String(answer.headers['upload-offset'])} for ${next}`,
        false,
      );
    return next;
  }

  /** `HEAD /edge/uploads/<id>`: offset of an upload, and its length. */
  async uploadHead(uploadId: string): Promise<{ offset: number; length: number }> {
    const answer = await this.http(`/edge/uploads/${uploadId}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${this.state.session ?? ''}` },
    });
    return { offset: Number(answer.headers['upload-offset']), length: Number(answer.headers['upload-length']) };
  }

  /** One HTTP request to the box. */
  http(
    place: string,
    options: { method?: string; headers?: Record<string, string>; body?: Uint8Array | string },
  ): ReturnType<typeof request> {
    return request(new URL(place, this.#options.url).href, {
      ...options,
      timeoutMs: this.#timeoutMs,
      ca: this.#options.ca,
    });
  }

  /** Ends the socket; what is owed stays owed. */
  stop(): void {
    this.#stopped = true;
    this.#drop();
  }

  #drop(): void {
    this.#wire?.close();
    this.#wire = undefined;
    this.verified = undefined;
  }

  get #timeoutMs(): number {
    return this.#options.receiptTimeoutMs ?? 30_000;
  }

  get #step(): number {
    return this.#options.reconnectStepMs ?? 5_000;
  }

  /**
   * Requested chunk size within the box's limit; by default 1 MiB, which arrives within seconds over a vessel's Wi-Fi.
   */
  get #chunkBytes(): number {
    const wish = this.#options.chunkBytes ?? 1024 * 1024;
    return Math.min(Math.max(wish, CHUNK_MIN), CHUNK_MAX, this.verified?.limits.chunkBytes ?? CHUNK_MAX);
  }

  #keep(): void {
    this.#options.save?.(this.state);
  }

  #say(line: string): void {
    this.#options.log?.(line);
  }
}

function asJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    throw new WireError('bad-answer', `no JSON: ${body.toString('latin1').slice(0, 120)}`, false);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
