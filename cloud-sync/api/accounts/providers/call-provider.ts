import { isObject } from '../../../../src/domain/json';

/** A provider gave no answer in time, or a broken one: trying again may help. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** A provider does not say who somebody is, or says it so that it cannot be believed. */
export class ProviderRefusedError extends Error {
  override readonly name = 'ProviderRefusedError';
}

/** The longest wait for one answer, ms: a person looks at the popup meanwhile. */
export const CALL_TIMEOUT_MS = 10_000;
/** No answer of these protocols is longer, bytes. */
const ANSWER_MAX = 256 * 1024;

interface CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** With a form it is a POST. */
  readonly body?: URLSearchParams;
}

/**
 * One call of a provider. What it says in an error is not passed on: it comes from elsewhere.
 *
 * @throws ProviderAwayError; ProviderRefusedError for a refusal (4xx) and for what is no JSON
 */
export async function callProvider(url: string | URL, init: CallOptions): Promise<unknown> {
  const { status, text } = await fetchText(url, init);
  if (status >= 500 || status === 429) throw new ProviderUnavailableError(`it answered with ${status}`);
  if (status !== 200) throw new ProviderRefusedError(`it answered with ${status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ProviderRefusedError('its answer is no JSON', { cause: error });
  }
}

async function fetchText(url: string | URL, { headers, body }: CallOptions): Promise<{ status: number; text: string }> {
  try {
    // No address of these protocols leads on: a redirection would carry a secret elsewhere.
    const response = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'error',
      headers: { accept: 'application/json', 'user-agent': 'great-reef-census', ...headers },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : { body }),
    });
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      parts.push(part as Uint8Array);
      size += (part as Uint8Array).length;
      if (size > ANSWER_MAX) throw new ProviderRefusedError('its answer has no end');
    }
    return { status: response.status, text: Buffer.concat(parts).toString('utf8') };
  } catch (error) {
    if (error instanceof ProviderRefusedError) throw error;
    throw new ProviderUnavailableError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A member that must be a text. @throws ProviderRefusedError */
export function requireText(answer: unknown, member: string, most = 4096): string {
  const value = isObject(answer) ? answer[member] : undefined;
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw new ProviderRefusedError(`its answer has no ${member}`);
  return value;
}
