import type { FetchBody } from 'openid-client';
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
const CALL_TIMEOUT_MS = 10_000;
/** Maximum length of an answer, bytes. */
const ANSWER_MAX = 256 * 1024;

interface CallOptions {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FetchBody;
}

/**
 * `fetch` bounded in time and length. Providers never redirect these calls; following one would leak a secret.
 *
 * @throws ProviderUnavailableError; ProviderRefusedError for an endless answer
 */
export async function fetchProvider(url: string, { method = 'GET', headers, body }: CallOptions): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'error',
      headers: { ...headers, 'user-agent': 'great-reef-census' },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      // The client sends forms alone.
      body: (body ?? null) as URLSearchParams | null,
    });
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body ?? []) {
      parts.push(part as Uint8Array);
      size += (part as Uint8Array).length;
      if (size > ANSWER_MAX) throw new ProviderRefusedError('its answer has no end');
    }
    const { status } = response;
    if (status >= 500 || status === 429) throw new ProviderUnavailableError(`it answered with ${status}`);
    return new Response(size === 0 ? null : Buffer.concat(parts), { status, headers: response.headers });
  } catch (error) {
    if (error instanceof ProviderRefusedError || error instanceof ProviderUnavailableError) throw error;
    throw new ProviderUnavailableError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * Reads JSON from a provider. Its error texts are not passed on: they are untrusted.
 *
 * @throws ProviderUnavailableError; ProviderRefusedError for a refusal (4xx) or invalid JSON
 */
export async function callProvider(url: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const response = await fetchProvider(url, { headers: { accept: 'application/json', ...headers } });
  if (response.status !== 200) throw new ProviderRefusedError(`it answered with ${response.status}`);
  try {
    return (await response.json()) as unknown;
  } catch (error) {
    throw new ProviderRefusedError('its answer is not JSON', { cause: error });
  }
}

/** Returns a required string member. @throws ProviderRefusedError */
export function requireText(answer: unknown, member: string, most = 4096): string {
  const value = isObject(answer) ? answer[member] : undefined;
  if (typeof value !== 'string' || value === '' || value.length > most)
    throw new ProviderRefusedError(`its answer has no ${member}`);
  return value;
}
