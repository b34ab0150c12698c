import type { OutlineSet } from '../../domain/analysis/labelling/outline';
import { parseOutlines } from '../../domain/analysis/labelling/outline-collection';
import { ReefError } from '../../domain/errors';
import type { ImageId, SurveyId } from '../../domain/ids';
import type { TabletHost } from '../../platform/host';
import { ML_REQUEST_PATH, NO_OUTLINES_STATUS, OUTLINES_BYTES_MAX } from '../../protocol/outlines';
import { errorFromResponse, exchange, parseJson, readBoundedText } from './http';

/**
 * Time for the answer of one server, ms: a person waits for it, and this tablet can make outlines. What a model finds later
 * is there at the next opening.
 */
const ANSWER_MS = 10_000;
/** Statuses of a server that refuses this caller, or is too old to have outlines. */
const REFUSALS: readonly number[] = [401, 403, 404, 429];

interface OutlineQuery {
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** Folder of the region's model. */
  readonly mlAnalysisDir: string;
  /** Fractions of the picture. */
  readonly minSize: number;
  readonly maxSize: number;
}

/**
 * Fetches outlines from a box or the cloud (1§7 `mlRequestJson`, with its five parameters).
 *
 * @returns null if the server has none
 * @throws ReefError from the server, `disconnected`, `timeout`; `internal` for an answer that is not valid
 */
export async function fetchOutlines(
  host: Pick<TabletHost, 'fetch' | 'timers'>,
  server: { readonly origin: string; readonly bearer: string },
  { surveyId, imageId, mlAnalysisDir, minSize, maxSize }: OutlineQuery,
): Promise<OutlineSet | null> {
  const query = new URLSearchParams({
    surveyId,
    imageId,
    mlAnalysisDir,
    polygonThreshold: String(minSize),
    maxPolygonThreshold: String(maxSize),
  });
  return exchange(
    host,
    `${server.origin}${ML_REQUEST_PATH}?${query}`,
    { headers: { authorization: `Bearer ${server.bearer}` }, credentials: 'omit' },
    ANSWER_MS,
    async (response) => {
      if (response.status === NO_OUTLINES_STATUS) {
        await response.body?.cancel();
        return null;
      }
      const text = await readBoundedText(response, OUTLINES_BYTES_MAX);
      if (REFUSALS.includes(response.status)) throw errorFromResponse(response.status, text);
      const read = parseOutlines(parseJson(text));
      if (read.kind === 'broken')
        throw new ReefError('internal', { message: `The server sent outlines that cannot be used: ${read.reason}.` });
      return read.set;
    },
  );
}
