import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import { errorFromResponse, exchange, readBoundedText } from '../../transport/http';
import { knownCloudOrigin, type RepositoryContext } from '../repository-context';

/** Largest public file, in UTF-16 code units: the outlines' table of a region is 1 MB, its results 3. */
const FILE_MAX = 32 * 1024 * 1024;

/** Servers that have the public files: the box that answers, the cloud, the page's own server. */
export function fileOrigins(context: RepositoryContext, servedBy: string | undefined): readonly string[] {
  const { answering, offlineByChoice, browserOnline } = context.connectivity.facts.get();
  if (offlineByChoice) return [];
  const edge = answering === 'edge' ? context.connectivity.currentEdge()?.origin : undefined;
  // A browser that is offline still reaches a box, or a server on this machine.
  const ashore = browserOnline ? knownCloudOrigin(context) : null;
  return [...new Set([edge, ashore ?? undefined, servedBy].filter((origin) => origin !== undefined))];
}

/**
 * Asks for a file at each origin in turn, until one has it.
 *
 * @param etag of the stored version, which is not sent again
 * @returns null if none is in reach
 * @throws ReefError the first failure other than being out of reach; `not-found` if no server has it
 */
export async function fetchPublicFile(
  { store }: RepositoryContext,
  origins: readonly string[],
  path: string,
  etag: string | null,
): Promise<{ readonly text: string; readonly etag: string | null } | 'unchanged' | null> {
  let failure: ReefError | null = null;
  for (const origin of origins) {
    try {
      return await exchange(
        store.host,
        `${origin}${path}`,
        {
          credentials: 'omit',
          // The answer is stored here; the browser's own copy would hide a 304.
          cache: 'no-store',
          ...(etag === null ? {} : { headers: { 'if-none-match': etag } }),
        },
        LIMITS.receiptTimeoutMs,
        async (response) => {
          if (response.status === 304) return 'unchanged' as const;
          // A server says so without an error, which a browser would log.
          if (response.status === 204) throw new ReefError('not-found');
          const text = await readBoundedText(response, FILE_MAX);
          if (!response.ok) throw errorOf(response.status, text);
          // A server without the file may answer with the app's page.
          if ((response.headers.get('content-type') ?? '').startsWith('text/html')) throw new ReefError('not-found');
          return { text, etag: response.headers.get('etag') };
        },
      );
    } catch (error) {
      if (!(error instanceof ReefError)) throw error;
      if (error.code !== 'disconnected' && error.code !== 'timeout') failure ??= error;
    }
  }
  if (failure !== null) throw failure;
  return null;
}

function errorOf(status: number, text: string): ReefError {
  return status === 404 ? new ReefError('not-found') : errorFromResponse(status, text);
}
