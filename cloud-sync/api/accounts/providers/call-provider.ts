import { isObject } from '../../../../src/domain/json';

/** Error for a missing, late or broken answer of a provider; a retry may help. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError';
}

/** Error for a provider that does not identify the person, or not credibly. */
export class ProviderRefusedError extends Error {
  override readonly name = 'ProviderRefusedError';
}

/** Timeout of one call, ms; a person is waiting at the popup. */
export const CALL_TIMEOUT_MS = 10_000;
/** Maximum length of an answer, bytes. */
const ANSWER_MAX = 256 * 1024;

interface CallOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Form of a POST; without it the call is a GET. */
  readonly body?: URLSearchParams;
}

/**
 * Calls a provider. Its error texts are not passed on: they are untrusted.
 *
 * @throws ProviderUnavailableError; ProviderRefusedError for a refusal (4xx) or invalid JSON
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
    // These endpoints never redirect; following one would leak a secret.
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

/** Returns a required string member. @throws ProviderRefusedError */
export function requireText(answer: unknown, member: string, most = 4096): string {
  const value = isObject(answer) ? answer[member] : undefined;
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw new ProviderRefusedError(`its answer has no ${member}`);
  return value;
}
