import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { canonicalJson } from '../../../src/domain/canonical';
import type { ErrorCode } from '../../../src/domain/errors';
import { ReefError } from '../../../src/domain/errors';
import { makeId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { SocketClient, TabletHost } from '../../../src/platform/host';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { PublicKey, Receipt, UnsignedReceipt } from '../../../src/protocol/receipt';
import { blobOf, signedText } from '../../../src/protocol/receipt';
import { formatNodeTrace } from '../../../src/protocol/node-trace';

interface SigningKey {
  readonly key: KeyObject;
  readonly jwk: PublicKey;
}

function newKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string };
  return { key: privateKey, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid: randomBytes(6).toString('hex') } };
}

const id = (): string => makeId((n) => Uint8Array.from(randomBytes(n)));

/** Misbehaviour that a test can request of the box. */
export type Misbehaviour =
  | { readonly silent: true }
  | { readonly error: ErrorCode; readonly details?: object }
  | { readonly cut: true }
  | { readonly tamper: (receipt: Receipt) => unknown; readonly besides?: object }
  | { readonly reply: object }
  | undefined;

export interface Heard {
  readonly event: string;
  readonly message: Record<string, unknown>;
  readonly at: number;
  readonly bytes: number;
}

/**
 * In-memory box that can send false data, stay silent and break off, all of which a tablet must withstand. Honest
 * behaviour is tested against the real server.
 */
export class ScriptedBox {
  readonly nodeId = id();
  storeEpoch = id();
  readonly receiptKey = newKey();
  readonly traceKey = newKey();
  readonly heard: Heard[] = [];
  /** Maximum entries per feed page, whatever was requested: a box bounds its pages in bytes as well. */
  pageMax = Infinity;
  readonly entries: ChangeEntry[] = [];
  readonly ops = new Map<string, Op>();
  readonly receipts = new Map<string, Receipt>();
  readonly bytes = new Map<string, Buffer>();
  /** Greatest number of concurrent `image:binary` by upload. */
  readonly uploadsAtOnce = { now: new Set<string>(), greatest: 0 };
  misbehave: (event: string, message: Record<string, unknown>, nth: number) => Misbehaviour = () => undefined;
  down = false;
  portal = false;
  /** Answers every HTTP request in the box's place. */
  instead: (() => Response) | undefined;
  /** Transports offered by `verify`; over HTTP this box never accepts a chunk. */
  binary: readonly ('socket' | 'http')[] = ['socket'];
  /** Number of chunks attempted over HTTP. */
  patches = 0;
  /** Cloud address and keys returned by `verify`. */
  cloudUrl: string | undefined;
  cloudKeys: readonly PublicKey[] | undefined;
  /** Further members returned by `verify`. */
  besides: { readonly notice?: string; readonly user?: object } = {};
  knownSessions = new Set<string>();
  readonly #uploads = new Map<string, { sha256: string; size: number; content: Buffer }>();
  readonly #counts = new Map<string, number>();
  readonly #clients = new Set<{ cut: () => void; update: (name: string) => void }>();

  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  readonly origin = 'https://box.test';

  events(): string[] {
    const aside: readonly string[] = ['verify', 'query', 'unsubscribe', 'owing'];
    return this.heard.map(({ event }) => event).filter((event) => !aside.includes(event));
  }

  cutAll(): void {
    for (const client of [...this.#clients]) client.cut();
  }

  hint(): void {
    for (const client of this.#clients) client.update('changes');
  }

  /** Adds another author's operation to the feed. */
  write(op: Op, by?: string): void {
    this.ops.set(op.opId, op);
    const receipt = this.receiptFor(op);
    this.entries.push({ seq: receipt.seq, op, receipt, ...(by === undefined ? {} : { by }) });
  }

  /** Starts a new, empty store. */
  beginAnew(): void {
    this.storeEpoch = id();
    for (const held of [this.ops, this.receipts, this.bytes, this.#uploads]) held.clear();
    this.entries.length = 0;
  }

  receiptFor(op: Op): Receipt {
    const known = this.receipts.get(op.opId);
    if (known !== undefined) return known;
    const blob = blobOf(op);
    const unsigned: UnsignedReceipt = {
      v: 1,
      stage: 'edge',
      nodeId: this.nodeId,
      storeEpoch: this.storeEpoch,
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      ...(blob === undefined ? {} : { blob }),
      accepted: true,
      seq: this.receipts.size + 1,
      storedAt: new Date(this.#now()).toISOString(),
      kid: this.receiptKey.jwk.kid,
    };
    const receipt = this.signed(unsigned);
    this.receipts.set(op.opId, receipt);
    return receipt;
  }

  signed(unsigned: UnsignedReceipt): Receipt {
    return {
      ...unsigned,
      sig: sign(null, Buffer.from(signedText(unsigned)), this.receiptKey.key).toString('base64url'),
    } as Receipt;
  }

  readonly fetch: TabletHost['fetch'] = async (url) => {
    if (this.down) throw new TypeError('network error');
    const { pathname, searchParams } = new URL(url);
    if (this.instead !== undefined) return this.instead();
    if (pathname.startsWith('/edge/uploads/')) {
      this.patches += 1;
      throw new TypeError('blocked on the way');
    }
    if (this.portal) return new Response('<html>Welcome to the harbour Wi-Fi</html>');
    if (pathname === '/edge/keys') {
      return Response.json({
        keys: [
          { ...this.receiptKey.jwk, for: 'receipt' },
          { ...this.traceKey.jwk, for: 'trace' },
        ],
      });
    }
    if (pathname === '/edge/trace' || pathname === '/trace') {
      const text = formatNodeTrace({
        network: pathname === '/trace' ? 'www' : 'edge',
        node: this.nodeId,
        storeEpoch: this.storeEpoch,
        time: new Date(this.#now()).toISOString(),
        nonce: searchParams.get('nonce') ?? '',
        kid: this.traceKey.jwk.kid,
      });
      return new Response(`${text}\nsig=${sign(null, Buffer.from(text), this.traceKey.key).toString('base64url')}`);
    }
    return Response.json({ ok: false, error: new ReefError('not-found').toWire() }, { status: 404 });
  };

  readonly openSocket: TabletHost['openSocket'] = async () => {
    const listeners = new Map<string, ((...args: never[]) => void)[]>();
    const tell = (event: string, ...args: unknown[]): void => {
      for (const listener of listeners.get(event) ?? []) listener(...(args as never[]));
    };
    const end = (): void => {
      this.#clients.delete(handle);
      if (!client.connected) return;
      client.connected = false;
      tell('disconnect');
    };
    const handle = { cut: end, update: (name: string) => tell('update', { name, data: null }) };
    const client = {
      connected: false,
      sendBuffer: [] as unknown[],
      connect: () => {
        setImmediate(() => {
          if (this.down) {
            tell('connect_error', new Error('refused'));
            return;
          }
          client.connected = true;
          this.#clients.add(handle);
          tell('connect');
        });
      },
      disconnect: end,
      emit: (event: string, ...args: unknown[]) => {
        const ack = args.at(-1) as (answer: unknown) => void;
        const bytes = args.length > 2 ? Buffer.from(args[1] as Uint8Array) : undefined;
        void this.#answer(event, args[0] as Record<string, unknown>, bytes, end).then((answer) => {
          if (answer !== undefined && client.connected) ack(answer);
        });
      },
      on: (event: string, listener: (...args: never[]) => void) => {
        listeners.set(event, [...(listeners.get(event) ?? []), listener]);
      },
    };
    return client as unknown as SocketClient;
  };

  async #answer(
    event: string,
    message: Record<string, unknown>,
    bytes: Buffer | undefined,
    cut: () => void,
  ): Promise<unknown> {
    const nth = (this.#counts.get(event) ?? 0) + 1;
    this.#counts.set(event, nth);
    this.heard.push({ event, message, at: this.#now(), bytes: bytes?.length ?? 0 });
    const instead = this.misbehave(event, message, nth);
    const upload =
      event === 'image:path' || event === 'image:binary'
        ? String(message['uploadId'] ?? message['imageId'])
        : undefined;
    if (upload !== undefined) {
      this.uploadsAtOnce.now.add(upload);
      this.uploadsAtOnce.greatest = Math.max(this.uploadsAtOnce.greatest, this.uploadsAtOnce.now.size);
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (upload !== undefined) this.uploadsAtOnce.now.delete(upload);
    if (instead !== undefined) {
      if ('silent' in instead) return undefined;
      if ('cut' in instead) {
        cut();
        return undefined;
      }
      if ('reply' in instead) return { ok: true, ...instead.reply };
      if ('error' in instead)
        return { ok: false, error: new ReefError(instead.error, { ...instead.details }).toWire() };
    }
    try {
      const reply = this.#reply(event, message, bytes);
      if (instead !== undefined && 'tamper' in instead && 'receipt' in reply)
        return { ok: true, ...instead.besides, receipt: instead.tamper(reply['receipt'] as Receipt) };
      return { ok: true, ...reply };
    } catch (error) {
      return { ok: false, error: (error as ReefError).toWire() };
    }
  }

  #reply(event: string, message: Record<string, unknown>, bytes: Buffer | undefined): Record<string, unknown> {
    switch (event) {
      case 'verify': {
        const session = message['session'] as string | undefined;
        if (session !== undefined && !this.knownSessions.has(session)) throw new ReefError('unauthorised');
        const given = session ?? id();
        this.knownSessions.add(given);
        return {
          protocol: 1,
          edge: { id: this.nodeId, name: 'Scripted', storeEpoch: this.storeEpoch },
          session: given,
          serverTime: new Date(this.#now()).toISOString(),
          user: null,
          publicKey: this.receiptKey.jwk,
          ...(this.cloudUrl === undefined ? {} : { cloudUrl: this.cloudUrl }),
          ...(this.cloudKeys === undefined ? {} : { cloudKeys: this.cloudKeys }),
          limits: { chunkBytes: 4 * 1024 * 1024, imageBytes: 1e9, imagePixels: 1e9, freeBytes: 1e12 },
          binary: this.binary,
          ...this.besides,
        };
      }
      case 'profile':
      case 'survey':
      case 'analysis':
        return { receipt: this.#take(message['op'] as Op) };
      case 'image:path': {
        const [uploadId, sha256, size] = [
          String(message['imageId']),
          String(message['sha256']),
          Number(message['bytes']),
        ];
        if (this.bytes.has(sha256)) return { uploadId, offset: size, complete: true };
        const held = this.#uploads.get(uploadId) ?? { sha256, size, content: Buffer.alloc(0) };
        this.#uploads.set(uploadId, held);
        return { uploadId, offset: held.content.length, complete: false };
      }
      case 'image:binary': {
        const held = this.#uploads.get(String(message['uploadId']));
        if (held === undefined) throw new ReefError('not-found');
        if (message['offset'] !== held.content.length)
          throw new ReefError('offset-mismatch', { offset: held.content.length });
        held.content = Buffer.concat([held.content, bytes ?? Buffer.alloc(0)]);
        if (held.content.length < held.size) return { offset: held.content.length };
        this.#uploads.delete(String(message['uploadId']));
        if (createHash('sha256').update(held.content).digest('hex') !== held.sha256)
          throw new ReefError('hash-mismatch', { offset: 0 });
        this.bytes.set(held.sha256, held.content);
        return { offset: held.size };
      }
      case 'image:record': {
        const op = message['op'] as Op;
        if (!this.bytes.has(String(op.body['sha256']))) throw new ReefError('incomplete', { offset: 0 });
        return { receipt: this.#take(op) };
      }
      case 'query': {
        const { since = 0, limit = 1000 } = (message['params'] ?? {}) as { since?: number; limit?: number };
        const entries = this.entries.filter(({ seq }) => seq > since).slice(0, Math.min(limit, this.pageMax));
        return { data: { storeEpoch: this.storeEpoch, entries, next: entries.at(-1)?.seq ?? since } };
      }
      default:
        return {};
    }
  }

  #take(op: Op): Receipt {
    const known = this.ops.get(op.opId);
    const text = (value: Op): string => canonicalJson(value as unknown as JsonObject);
    if (known !== undefined && text(known) !== text(op)) throw new ReefError('receipt-mismatch');
    if (known === undefined) this.write(op);
    return this.receiptFor(op);
  }
}
