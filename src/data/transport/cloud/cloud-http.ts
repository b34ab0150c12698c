import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import { ANALYSIS_LIMITS, LIMITS } from '../../../domain/limits';
import type { TabletHost } from '../../../platform/host';
import type { CloudOpResult, DeviceRegistration } from '../../../protocol/cloud-http';
import { publicKeySchema } from '../../../protocol/receipt';
import type { PublishedKeys } from '../http';
import { callFunction } from './call-function';
import { readBoundedText, errorFromResponse, exchange, parseJson, parseKeys } from '../http';
import type { UploadStart } from '../upstream';

/** Maximum length of a page of the feed or of a read: the cloud's page limit, with room for the JSON overhead. */
export const PAGE_TEXT_MAX = 2 * LIMITS.changesBytesMax;

const opsReply = z.looseObject({ results: z.array(z.looseObject({ opId: z.string().nullable() })) });
const haveReply = z.looseObject({ missing: z.array(z.string()), ended: z.string().optional() });
const uploadReply = z.looseObject({
  uploadId: z.string().min(1).max(200),
  offset: z.int().min(0),
  complete: z.boolean(),
});
const registrationReply = z.looseObject({
  credential: z.string().min(1),
  cloud: z.looseObject({ id: z.string().min(1), storeEpoch: z.string().min(1) }),
  receiptKeys: z.array(publicKeySchema).min(1),
  traceKeys: z.array(publicKeySchema).min(1),
  limits: z.looseObject({ chunkBytes: z.int().min(1) }),
});
const referenceNames = z.looseObject({ references: z.array(z.looseObject({ name: z.string() })) });
const sessionReply = z.looseObject({ session: z.string().min(1), user: z.looseObject({}) });

export interface CloudUser {
  readonly uid: string;
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
}

/**
 * HTTP client of the cloud (protocol, "Cloud HTTP"). Every call has a timeout.
 *
 * @throws ReefError from every method: from the cloud, `disconnected`, `timeout`; `internal` for an invalid reply
 */
export class CloudHttp {
  readonly #host: Pick<TabletHost, 'fetch' | 'timers' | 'clock'>;
  readonly #bearer: string;

  constructor(
    host: Pick<TabletHost, 'fetch' | 'timers' | 'clock'>,
    readonly origin: string,
    /** Bearer token of this device or of a person; empty for public calls. */
    bearer = '',
  ) {
    this.#host = host;
    this.#bearer = bearer;
  }

  /** `GET /trace?nonce=`, unparsed. */
  trace(nonce: string): Promise<string> {
    return this.#text('GET', `/trace?nonce=${nonce}`, undefined, LIMITS.slowConnectionMs);
  }

  async keys(): Promise<PublishedKeys> {
    return parseKeys(
      parseJson(await this.#text('GET', '/api/keys')),
      'The server at this address is not the shore of the census.',
    );
  }

  async ops(items: readonly unknown[]): Promise<readonly CloudOpResult[]> {
    const { results } = this.#parse(opsReply, await this.#text('POST', '/api/ops', { ops: items }));
    if (results.length !== items.length)
      throw new ReefError('internal', { message: 'The shore answered for fewer records than were sent.' });
    return results as unknown as readonly CloudOpResult[];
  }

  /** Returns the hashes that the cloud does not have complete now. */
  async findMissing(sha256: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#have(sha256)).missing);
  }

  /** Checks that the cloud accepts this tablet's credential; returns true if it only accepts and answers no read. */
  async hasEnded(): Promise<boolean> {
    return (await this.#have([])).ended !== undefined;
  }

  async #have(sha256: readonly string[]): Promise<z.infer<typeof haveReply>> {
    return this.#parse(haveReply, await this.#text('POST', '/api/have', { sha256 }));
  }

  async startUpload(of: {
    readonly sha256: string;
    readonly bytes: number;
    readonly type: string;
  }): Promise<UploadStart> {
    return this.#parse(uploadReply, await this.#text('POST', '/api/uploads', of));
  }

  /** Sends one chunk (`PATCH`, resumable uploads). @returns the durable offset */
  async patch(uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const text = await this.#exchange(
      `/api/uploads/${encodeURIComponent(uploadId)}`,
      {
        method: 'PATCH',
        headers: {
          ...this.#authorization(),
          'content-type': 'application/partial-upload',
          'upload-offset': String(offset),
        },
        body: bytes,
        credentials: 'omit',
      },
      LIMITS.receiptTimeoutMs,
      okText,
    );
    return this.#parse(z.looseObject({ offset: z.int().min(0) }), text).offset;
  }

  /** Fetches a page of the caller's own feed, unchecked. */
  async changes(since: number, limit: number): Promise<unknown> {
    return parseJson(
      await this.#text(
        'GET',
        `/api/changes?since=${since}&limit=${limit}`,
        undefined,
        LIMITS.receiptTimeoutMs,
        PAGE_TEXT_MAX,
      ),
    );
  }

  /**
   * Follows the hints of the feed until the signal aborts or the cloud ends the stream.
   *
   * @param onHint called at the start and for each hint
   */
  async followHints(signal: AbortSignal, onHint: () => void): Promise<void> {
    const response = await this.#host.fetch(`${this.origin}/api/changes/stream`, {
      headers: this.#authorization(),
      credentials: 'omit',
      cache: 'no-store',
      signal,
    });
    if (!response.ok || response.body === null)
      throw errorFromResponse(response.status, await readBoundedText(response));
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    onHint();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      // The last line may continue in the next chunk; an endless line is not one of ours.
      rest = (lines.pop() ?? '').slice(-1000);
      if (lines.some((line) => /^event:\s*changes\s*$/.test(line))) onHint();
    }
  }

  /** Mails a one-time code to an address; 2§7: "timeout 30 seconds". */
  async sendSignInCode(email: string, path: string): Promise<void> {
    await this.call(z.unknown(), 'send-user-login-code', { email, path }, ANALYSIS_LIMITS.codeSendTimeoutMs);
  }

  /**
   * Exchanges a single-use custom token for a session.
   *
   * @param email proven address, used if the cloud names none
   * @param handle of the event or organisation that invited the person
   * @returns the person's session (bearer) and identity
   */
  async openSession(
    token: string,
    email: string,
    handle?: string,
  ): Promise<{ readonly session: string; readonly user: CloudUser }> {
    const form = { token, ...(handle === undefined ? {} : { handle }) };
    const { session, user } = this.#parse(sessionReply, await this.#text('POST', '/api/auth/custom-token', form));
    return { session, user: parseUser(user, email) };
  }

  /** Calls any other endpoint of the cloud and validates its reply. @param most length of a reply, 1 Mi if absent */
  async request<Value>(
    schema: z.ZodType<Value>,
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
    timeoutMs: number = LIMITS.receiptTimeoutMs,
    most?: number,
  ): Promise<Value> {
    return this.#parse(schema, await this.#text(method, path, body, timeoutMs, most));
  }

  /**
   * Fetches reference data (`GET /api/reference/<name>`), unchecked; undefined if the cloud has none by that name. It is
   * asked for only if the cloud lists it: a browser logs each 404 as an error.
   */
  async reference(name: string): Promise<unknown> {
    const { references } = await this.request(referenceNames, 'GET', '/api/reference');
    if (!references.some((one) => one.name === name)) return undefined;
    try {
      return await this.request(z.unknown(), 'GET', `/api/reference/${name}`);
    } catch (error) {
      if (error instanceof ReefError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  /**
   * Calls a function (1§7 "Callable backend functions"), with the retries of 1§8.
   *
   * @param timeoutMs of all tries together
   */
  async call<Value>(
    schema: z.ZodType<Value>,
    name: string,
    body: unknown,
    timeoutMs: number = LIMITS.functionTimeoutMs,
  ): Promise<Value> {
    return callFunction(this.#host, timeoutMs, (withinMs) =>
      this.request(schema, 'POST', `/api/fn/${name}`, body, withinMs),
    );
  }

  async signOut(): Promise<void> {
    await this.#text('POST', '/api/auth/sign-out', {});
  }

  async edgeToken(): Promise<string> {
    return this.#parse(z.looseObject({ token: z.string().min(1) }), await this.#text('GET', '/api/auth/edge-token'))
      .token;
  }

  /**
   * Binds this session to the device's key and has the key certified for its person.
   *
   * @param answer the key's answer to the session as a challenge (`deviceAnswerText`)
   * @throws ReefError `not-found` from a cloud of version 1; `forbidden` {field: 'key'} for a revoked key
   */
  async certifyKey(key: string, answer: string): Promise<void> {
    await this.#text('POST', '/api/auth/key', { key, answer });
  }

  /**
   * Registers this tablet; its credential sends everything stored here (protocol, "The outbox belongs to the device").
   *
   * @param before credential that this tablet already has there, from any earlier user
   */
  async register(
    device: { readonly id: string; readonly name: string },
    before: string | null,
  ): Promise<Omit<DeviceRegistration, 'ok'>> {
    return this.#parse(
      registrationReply,
      await this.#text('POST', '/api/devices', { device, ...(before === null ? {} : { before }) }),
    ) as unknown as Omit<DeviceRegistration, 'ok'>;
  }

  #authorization(): Record<string, string> {
    return this.#bearer === '' ? {} : { authorization: `Bearer ${this.#bearer}` };
  }

  #text(
    method: string,
    path: string,
    body?: unknown,
    timeoutMs: number = LIMITS.receiptTimeoutMs,
    most?: number,
  ): Promise<string> {
    const init: RequestInit = {
      method,
      headers: { ...this.#authorization(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    };
    return this.#exchange(path, init, timeoutMs, (response) => okText(response, most));
  }

  async #exchange(
    path: string,
    init: RequestInit,
    timeoutMs: number,
    read: (response: Response) => Promise<string>,
  ): Promise<string> {
    try {
      return await exchange(this.#host, `${this.origin}${path}`, init, timeoutMs, read);
    } catch (error) {
      // The texts of the catalogue are about a box.
      if (error instanceof ReefError && error.code === 'disconnected')
        throw new ReefError('disconnected', {
          message: 'Lost the connection to the shore. Retrying automatically.',
          cause: error,
        });
      if (error instanceof ReefError && error.code === 'timeout')
        throw new ReefError('timeout', {
          message: 'The shore did not answer in time. Retrying automatically.',
          cause: error,
        });
      throw error;
    }
  }

  #parse<Value>(schema: z.ZodType<Value>, text: string): Value {
    const answer = schema.safeParse(parseJson(text));
    if (!answer.success)
      throw new ReefError('internal', { message: 'The shore sent an invalid reply. Your work is safe here.' });
    return answer.data;
  }
}

async function okText(response: Response, most?: number): Promise<string> {
  const text = await readBoundedText(response, most);
  if (!response.ok) throw errorFromResponse(response.status, text);
  return text;
}

/** Parses the person of a reply; fields missing from older or newer clouds are empty. */
function parseUser(user: Readonly<Record<string, unknown>>, email: string): CloudUser {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const uid = text(user['uid']) || text(user['id']);
  if (uid === '') throw new ReefError('internal', { message: 'The shore did not report who signed in.' });
  const name = isObject(user['name']) ? user['name'] : { first: text(user['name']) };
  return {
    uid,
    email: text(user['email']) || email,
    name: { first: text(name['first']) || text(name['firstName']), last: text(name['last']) || text(name['lastName']) },
  };
}
