import { z } from 'zod';
import { ReefError } from '../../domain/errors';
import { isObject } from '../../domain/json';
import type { TabletHost } from '../../platform/host';
import type { PublicKey } from '../../protocol/receipt';
import { publicKeySchema } from '../../protocol/receipt';
import { withTimeout } from './timing';

/** Maximum length of a reply, in UTF-16 code units. */
const ANSWER_TEXT_MAX = 1024 * 1024;

/** Parses a URL; null if invalid. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Public keys of a node, for receipts and for traces, old ones included. */
export interface PublishedKeys {
  readonly receipt: readonly PublicKey[];
  readonly trace: readonly PublicKey[];
}

/**
 * Sends one request; the timeout includes the body, as a half-open connection may send only the headers.
 *
 * @throws ReefError as `read` does; `disconnected`, `timeout`
 */
export async function exchange<Answer>(
  host: Pick<TabletHost, 'fetch' | 'timers'>,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  read: (response: Response) => Promise<Answer>,
): Promise<Answer> {
  const aborter = new AbortController();
  const ask = async (): Promise<Answer> => read(await host.fetch(url, { ...init, signal: aborter.signal }));
  try {
    return await withTimeout(host.timers, timeoutMs, ask());
  } catch (error) {
    aborter.abort();
    throw error instanceof ReefError ? error : new ReefError('disconnected', { cause: error });
  }
}

/** @throws ReefError `internal` for a reply longer than any of a box (a portal may send without end) */
export async function readBoundedText(response: Response, maxLength = ANSWER_TEXT_MAX): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= maxLength) continue;
    await reader.cancel();
    throw new ReefError('internal', { message: 'The server sent a larger reply than expected.' });
  }
}

/** Parses a named error; a reply that is not ours (a proxy's page, for example) is `internal`. */
export function errorFromResponse(status: number, text: string): ReefError {
  const body = parseJson(text);
  const error = isObject(body) ? body['error'] : undefined;
  if (isObject(error)) return ReefError.fromWire(error);
  return new ReefError('internal', { message: `The server returned status ${status} without a reason.` });
}

/** Parses JSON; undefined if invalid: the caller decides what that means. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Parses published keys: `{keys: [JWK & {for}]}`. @throws ReefError `bad-message` with `errorText` if they are invalid
 */
export function parseKeys(answer: unknown, errorText: string): PublishedKeys {
  const parsed = z
    .object({ keys: z.array(z.looseObject({ ...publicKeySchema.shape, for: z.string() })) })
    .safeParse(answer);
  if (!parsed.success) throw new ReefError('bad-message', { message: errorText });
  const of = (use: string): PublicKey[] =>
    parsed.data.keys.filter((key) => key.for === use).map((key) => publicKeySchema.parse(key));
  return { receipt: of('receipt'), trace: of('trace') };
}
