import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import { CloudHttp, PAGE_TEXT_MAX } from '../../transport/cloud/cloud-http';
import { errorFromResponse, exchange, parseJson, readBoundedText } from '../../transport/http';
import { cloudServer } from '../analysis/analysis-images';
import type { RepositoryContext } from '../repository-context';

const pageSchema = z.object({ items: z.array(z.unknown()), next: z.string().nullish() });

/**
 * Items of a page. The first page arrives in time over 64 kbit/s; pages grow while they arrive quickly, as each costs a
 * round trip.
 */
const PAGE = { first: 20, least: 10, most: 500, growth: 5, quickMs: 2_000 } as const;
/** Items of one list: no reef has so many surveys or photographs, and a server may send without end. */
const ITEMS_MAX = 50_000;
/** Surveys or photographs of a box's answer, in UTF-16 code units. */
const EDGE_ANSWER_MAX = 16 * 1024 * 1024;

/**
 * Reads all pages of a named query of the cloud (1§7), for the current user. After a timeout the same page is asked for
 * once more with fewer items. Reads without pages ignore `limit`.
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
  const { host } = parts.store;
  const http = new CloudHttp(host, cloud.origin, cloud.bearer);
  const items: unknown[] = [];
  let limit: number = PAGE.first;
  let after: string | undefined;
  while (items.length < ITEMS_MAX) {
    const search = new URLSearchParams({ ...query, limit: String(limit), ...(after === undefined ? {} : { after }) });
    const askedAt = host.clock.elapsed();
    try {
      const url = `/api/query/${name}?${search}`;
      const page = await http.request(pageSchema, 'GET', url, undefined, LIMITS.slowConnectionMs, PAGE_TEXT_MAX);
      items.push(...page.items);
      if (typeof page.next !== 'string' || page.items.length === 0) break;
      after = page.next;
      if (host.clock.elapsed() - askedAt < PAGE.quickMs) limit = Math.min(PAGE.most, limit * PAGE.growth);
    } catch (error) {
      const isLate = error instanceof ReefError && error.code === 'timeout';
      if (isLate && limit > PAGE.least) limit = PAGE.least;
      else if (isOutOfReach(error)) return null;
      else throw error;
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
