import { z } from 'zod';
import { ReefError } from '../../domain/errors';
import { isObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import type { TabletHost } from '../../platform/host';
import type { EdgeUser } from '../../protocol/edge-socket';
import type { PublicKey } from '../../protocol/receipt';
import { publicKeySchema } from '../../protocol/receipt';
import { withTimeout } from './waiting';

/** Where a transfer stands, as the box says. */
export interface UploadState {
  readonly offset: number;
}

/** Keys that a box publishes: those of receipts and those of traces, old ones included. */
export interface PublishedKeys {
  readonly receipt: readonly PublicKey[];
  readonly trace: readonly PublicKey[];
}

/** The HTTP side of a box. Every call ends in time; a failure is a named error. */
export class EdgeHttp {
  constructor(
    private readonly host: Pick<TabletHost, 'fetch' | 'timers'>,
    readonly origin: string,
  ) {}

  /** `GET /edge/trace?nonce=`, as it came. @throws ReefError `disconnected`, `timeout` */
  async trace(nonce: string, path = '/edge/trace', timeoutMs: number = LIMITS.slowConnectionMs): Promise<string> {
    const response = await this.call(`${path}?nonce=${nonce}`, { cache: 'no-store', redirect: 'error', credentials: 'omit' }, timeoutMs);
    return response.text();
  }

  /** @throws ReefError `disconnected`, `timeout`, `bad-message` where what answers is no box */
  async keys(): Promise<PublishedKeys> {
    const response = await this.call('/edge/keys', { cache: 'no-store', credentials: 'omit' });
    return readKeys(await jsonOf(response));
  }

  /** Sends one piece of a photograph (`PATCH`, resumable uploads). @throws ReefError as the box answers, `disconnected`, `timeout` */
  async patch(uploadId: string, offset: number, bytes: Uint8Array<ArrayBuffer>, session: string): Promise<UploadState> {
    const response = await this.call(`/edge/uploads/${uploadId}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/partial-upload', 'upload-offset': String(offset) },
      body: bytes,
    });
    const answer = z.object({ offset: z.int().min(0) }).safeParse(await jsonOf(response));
    if (!answer.success) throw new ReefError('internal', { message: 'The box gave an answer that is none.' });
    return answer.data;
  }

  /** The box's own sign-in. @throws ReefError as the box answers, `disconnected`, `timeout` */
  async signIn(message: { email: string; name: { first: string; last: string }; device: { id: string; name: string }; session?: string }): Promise<{ session: string; user: EdgeUser }> {
    const { session, ...body } = message;
    const response = await this.call('/edge/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(session === undefined ? {} : { authorization: `Bearer ${session}` }) },
      body: JSON.stringify(body),
    });
    const answer = z
      .object({ session: z.string(), user: z.looseObject({ uid: z.string(), email: z.string(), name: z.object({ first: z.string(), last: z.string() }), pending: z.boolean() }) })
      .safeParse(await jsonOf(response));
    if (!answer.success) throw new ReefError('internal', { message: 'The box gave an answer that is none.' });
    return answer.data;
  }

  private async call(path: string, init: RequestInit, timeoutMs: number = LIMITS.receiptTimeoutMs): Promise<Response> {
    const giveUp = new AbortController();
    const request = this.host.fetch(`${this.origin}${path}`, { ...init, signal: giveUp.signal }).catch((error: unknown) => {
      throw new ReefError('disconnected', { cause: error });
    });
    try {
      const response = await withTimeout(this.host.timers, timeoutMs, request);
      if (response.ok) return response;
      throw await errorOf(response);
    } catch (error) {
      giveUp.abort();
      throw error;
    }
  }
}

/** The named error of an answer that is none of ours (a proxy's page, say) is `internal`. */
async function errorOf(response: Response): Promise<ReefError> {
  const body = await jsonOf(response);
  const error = isObject(body) ? body['error'] : undefined;
  if (isObject(error)) return ReefError.fromWire(error);
  return new ReefError('internal', { message: `The server answered with ${response.status}, without saying why.` });
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return JSON.parse(await response.text()) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw new ReefError('disconnected', { cause: error });
  }
}

/** Keys as published: `{keys: [JWK & {for}]}`. */
function readKeys(answer: unknown): PublishedKeys {
  const parsed = z.object({ keys: z.array(z.looseObject({ ...publicKeySchema.shape, for: z.string() })) }).safeParse(answer);
  if (!parsed.success) throw new ReefError('bad-message', { message: 'What answers there is not a box of the census.' });
  const of = (use: string): PublicKey[] => parsed.data.keys.filter((key) => key.for === use).map((key) => publicKeySchema.parse(key));
  return { receipt: of('receipt'), trace: of('trace') };
}
