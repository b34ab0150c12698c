import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { errorFromResponse, exchange, parseJson, readBoundedText } from '../../transport/http';
import { cloudServer } from '../analysis/analysis-images';
import type { RepositoryContext } from '../repository-context';

const pageSchema = z.object({ items: z.array(z.unknown()), next: z.string().nullish() });

/** Items of a page where all pages are read: each page costs a turn over a slow link. */
export const WHOLE_LIST_PAGE = '500';
/** Pages of one list: no reef has a thousand surveys, no survey ten thousand photographs. */
const PAGES_MAX = 100;
/** Surveys or photographs of a box's answer, in UTF-16 code units. */
const EDGE_ANSWER_MAX = 16 * 1024 * 1024;

/**
 * Reads all pages of a named query of the cloud (1§7), for the current user.
 *
 * @returns the items as JSON; null if the cloud is not in reach
 * @throws ReefError from the cloud
 */
export async function queryCloud(
  parts: RepositoryContext,
  name: string,
  query: Readonly<Record<string, string>>,
): Promise<{ readonly text: string; readonly etag: null } | null> {
  const cloud = await cloudServer(parts, parts.person.get()?.uid ?? null);
  if (cloud === null) return null;
  const http = new CloudHttp(parts.store.host, cloud.origin, cloud.bearer);
  const items: unknown[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const search = new URLSearchParams({ ...query, ...(after === undefined ? {} : { after }) });
    try {
      const page = await http.request(
        pageSchema,
        'GET',
        `/api/query/${name}?${search}`,
        undefined,
        LIMITS.slowConnectionMs,
      );
      items.push(...page.items);
      if (typeof page.next !== 'string') break;
      after = page.next;
    } catch (error) {
      if (isOutOfReach(error)) return null;
      throw error;
    }
  }
  return { text: JSON.stringify(items), etag: null };
}

/**
 * Asks the box that answers.
 *
 * @returns its answer as JSON; null if no box answers
 * @throws ReefError from the box
 */
export async function askEdge(
  { store, connectivity }: RepositoryContext,
  path: string,
): Promise<{ readonly text: string; readonly etag: null } | null> {
  const edge = connectivity.answeringEdge.get()?.edge;
  if (edge === undefined) return null;
  try {
    return await exchange(
      store.host,
      `${edge.origin}${path}`,
      { headers: { authorization: `Bearer ${edge.session}` }, credentials: 'omit', cache: 'no-store' },
      LIMITS.receiptTimeoutMs,
      async (response) => {
        const text = await readBoundedText(response, EDGE_ANSWER_MAX);
        if (!response.ok) throw errorFromResponse(response.status, text);
        return { text, etag: null };
      },
    );
  } catch (error) {
    if (isOutOfReach(error)) return null;
    throw error;
  }
}

/** Items of a list, each parsed; those that are not valid are left out. @throws ReefError if it is not a list */
export function parseItems<Item>(text: string, parse: (value: unknown) => Item | null): readonly Item[] {
  const answer = parseJson(text);
  const items = Array.isArray(answer)
    ? answer
    : z.object({ items: z.array(z.unknown()) }).safeParse(answer).data?.items;
  if (items === undefined) throw new ReefError('internal', { message: 'The server sent a list that cannot be read.' });
  return items.map(parse).filter((item) => item !== null);
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof ReefError && (error.code === 'disconnected' || error.code === 'timeout');
}
