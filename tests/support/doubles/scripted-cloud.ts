import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { canonicalJson } from '../../../src/domain/canonical';
import { ReefError } from '../../../src/domain/errors';
import { makeId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { TabletHost } from '../../../src/platform/host';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { PublicKey, Receipt, UnsignedReceipt } from '../../../src/protocol/receipt';
import { blobOf, signedText } from '../../../src/protocol/receipt';
import { formatNodeTrace } from '../../../src/protocol/node-trace';

function newKey() {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' }) as { x: string };
  const jwk: PublicKey = { kty: 'OKP', crv: 'Ed25519', x, kid: randomBytes(6).toString('hex') };
  return { key: privateKey, jwk };
}

const id = (): string => makeId((n) => Uint8Array.from(randomBytes(n)));

/** Call received by the cloud. */
export interface CloudCall {
  readonly method: string;
  readonly path: string;
  readonly bearer: string;
  readonly body: Record<string, unknown>;
}

/**
 * In-memory cloud that can send false data and stay silent, both of which a tablet must withstand. Honest behaviour is
 * tested against the real service.
 */
export class ScriptedCloud {
  readonly origin = 'https://shore.test';
  readonly nodeId = id();
  storeEpoch = id();
  receiptKey = newKey();
  traceKey = newKey();
  readonly calls: CloudCall[] = [];
  readonly ops = new Map<string, Op>();
  readonly receipts = new Map<string, Receipt>();
  readonly bytes = new Map<string, Buffer>();
  readonly entries: ChangeEntry[] = [];
  /** Reference data by name. */
  readonly references = new Map<string, unknown>();
  readonly code = '246810';
  readonly person = { uid: id(), email: 'ana@example.org', name: { first: 'Ana', last: 'Reef' } };
  sessions = new Set<string>();
  credentials = new Set<string>();
  /** ms that its clock is ahead of the tablet's. */
  ahead = 0;
  down = false;
  /** Replaces the answer where it returns one. */
  instead: (call: CloudCall) => Response | ReefError | undefined | Promise<Response | ReefError | undefined> = () =>
    undefined;
  /** Receipt to sign. */
  receiptOf: (unsigned: UnsignedReceipt) => UnsignedReceipt = (unsigned) => unsigned;
  readonly #uploads = new Map<string, { readonly sha256: string; readonly size: number; content: Buffer }>();

  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  heard(path: string): readonly CloudCall[] {
    return this.calls.filter((call) => call.path.startsWith(path));
  }

  /** Starts a new, empty store. */
  beginAnew(): void {
    this.storeEpoch = id();
    for (const held of [this.ops, this.receipts, this.bytes, this.#uploads]) held.clear();
    this.entries.length = 0;
  }

  signed(unsigned: UnsignedReceipt): Receipt {
    return {
      ...unsigned,
      sig: sign(null, Buffer.from(signedText(unsigned)), this.receiptKey.key).toString('base64url'),
    } as Receipt;
  }

  /** Stores an operation as if another client had submitted it. */
  write(op: Op): Receipt {
    const known = this.receipts.get(op.opId);
    if (known !== undefined) return known;
    const blob = blobOf(op);
    const receipt = this.signed(
      this.receiptOf({
        v: 1,
        stage: 'cloud',
        nodeId: this.nodeId,
        storeEpoch: this.storeEpoch,
        opId: op.opId,
        kind: op.kind,
        docId: op.docId,
        sha256: op.sha256,
        ...(blob === undefined ? {} : { blob }),
        accepted: true,
        seq: this.receipts.size + 1,
        storedAt: this.isoNow(),
        kid: this.receiptKey.jwk.kid,
      }),
    );
    this.ops.set(op.opId, op);
    this.receipts.set(op.opId, receipt);
    this.entries.push({ seq: this.entries.length + 1, op, receipt });
    return receipt;
  }

  isoNow(): string {
    return new Date(this.#now() + this.ahead).toISOString();
  }

  readonly fetch: TabletHost['fetch'] = async (url, init = {}) => {
    const { pathname: path, searchParams } = new URL(url);
    const headers = new Headers(init.headers);
    const bytes = init.body instanceof Uint8Array ? Buffer.from(init.body) : undefined;
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : {};
    const call: CloudCall = {
      method: init.method ?? 'GET',
      path,
      bearer: (headers.get('authorization') ?? '').replace('Bearer ', ''),
      body,
    };
    this.calls.push(call);
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (this.down) throw new TypeError('network error');
    try {
      const instead = await this.instead(call);
      if (instead instanceof ReefError) throw instead;
      return instead ?? this.#answer(call, searchParams, headers, bytes);
    } catch (error) {
      if (!(error instanceof ReefError)) throw error;
      return Response.json({ ok: false, error: error.toWire() }, { status: error.status });
    }
  };

  #answer(call: CloudCall, query: URLSearchParams, headers: Headers, bytes: Buffer | undefined): Response {
    const { path, body, bearer } = call;
    const ok = (reply: object): Response => Response.json({ ok: true, ...reply });
    switch (path) {
      case '/trace': {
        const text = formatNodeTrace({
          network: 'www',
          node: this.nodeId,
          storeEpoch: this.storeEpoch,
          time: this.isoNow(),
          nonce: query.get('nonce') ?? '',
          kid: this.traceKey.jwk.kid,
        });
        return new Response(`${text}\nsig=${sign(null, Buffer.from(text), this.traceKey.key).toString('base64url')}`);
      }
      case '/api/keys':
        return ok({
          keys: [
            { ...this.receiptKey.jwk, for: 'receipt' },
            { ...this.traceKey.jwk, for: 'trace' },
          ],
        });
      case '/api/reference':
        return ok({ references: [...this.references.keys()].map((name) => ({ name, etag: '"1"' })) });
      case '/api/fn/send-user-login-code':
        return ok({});
      case '/api/fn/verify-user-login-code':
        if (body['verificationCode'] !== this.code) throw new ReefError('bad-message', { field: 'verificationCode' });
        return ok({ token: 'custom' });
      case '/api/auth/custom-token': {
        const session = id();
        this.sessions.add(session);
        return ok({ session, user: this.person });
      }
      case '/api/auth/key':
        if (!this.sessions.has(bearer)) throw new ReefError('unauthorised');
        return ok({});
      case '/api/auth/edge-token':
        return ok({ token: 'edge-token' });
      case '/api/auth/sign-out':
        this.sessions.delete(bearer);
        return ok({});
      case '/api/devices': {
        if (!this.sessions.has(bearer)) throw new ReefError('unauthorised');
        const credential = id();
        this.credentials.add(credential);
        return ok({
          credential,
          cloud: { id: this.nodeId, storeEpoch: this.storeEpoch },
          receiptKeys: [this.receiptKey.jwk],
          traceKeys: [this.traceKey.jwk],
          limits: { chunkBytes: 1 << 20, imageBytes: 1e9 },
        });
      }
      default:
        if (this.references.has(path.slice('/api/reference/'.length)))
          return Response.json(this.references.get(path.slice('/api/reference/'.length)));
        if (!this.credentials.has(bearer)) throw new ReefError('unauthorised');
        return this.#known(call, query, headers, bytes);
    }
  }

  #known({ path, body }: CloudCall, query: URLSearchParams, headers: Headers, bytes: Buffer | undefined): Response {
    const ok = (reply: object): Response => Response.json({ ok: true, ...reply });
    if (path === '/api/ops')
      return ok({
        results: (body['ops'] as (Op | { op: Op })[]).map((item) => this.#take('op' in item ? item.op : item)),
      });
    if (path === '/api/have')
      return ok({ missing: (body['sha256'] as string[]).filter((sha256) => !this.bytes.has(sha256)) });
    if (path === '/api/changes') {
      const since = Number(query.get('since'));
      const entries = this.entries.filter(({ seq }) => seq > since).slice(0, Number(query.get('limit')));
      return Response.json({ storeEpoch: this.storeEpoch, entries, next: entries.at(-1)?.seq ?? since });
    }
    if (path === '/api/uploads') {
      const [sha256, size] = [String(body['sha256']), Number(body['bytes'])];
      if (this.bytes.has(sha256)) return ok({ uploadId: sha256, offset: size, complete: true });
      const held = this.#uploads.get(sha256) ?? { sha256, size, content: Buffer.alloc(0) };
      this.#uploads.set(sha256, held);
      return ok({ uploadId: sha256, offset: held.content.length, complete: false });
    }
    if (path.startsWith('/api/uploads/')) {
      const held = this.#uploads.get(path.slice('/api/uploads/'.length));
      if (held === undefined) throw new ReefError('not-found');
      if (Number(headers.get('upload-offset')) !== held.content.length)
        throw new ReefError('offset-mismatch', { offset: held.content.length });
      held.content = Buffer.concat([held.content, bytes ?? Buffer.alloc(0)]);
      if (held.content.length < held.size) return ok({ offset: held.content.length });
      this.#uploads.delete(held.sha256);
      if (createHash('sha256').update(held.content).digest('hex') !== held.sha256)
        throw new ReefError('hash-mismatch', { offset: 0 });
      this.bytes.set(held.sha256, held.content);
      return ok({ offset: held.size });
    }
    throw new ReefError('not-found');
  }

  #take(op: Op): object {
    const known = this.ops.get(op.opId);
    const text = (value: Op): string => canonicalJson(value as unknown as JsonObject);
    if (known !== undefined && text(known) !== text(op))
      return { opId: op.opId, error: new ReefError('receipt-mismatch').toWire() };
    const blob = blobOf(op);
    if (blob !== undefined && !this.bytes.has(blob.sha256)) return { opId: op.opId, needs: [blob.sha256] };
    return { opId: op.opId, receipt: this.write(op) };
  }
}
