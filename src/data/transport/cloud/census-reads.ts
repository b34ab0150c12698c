import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { geoPointSchema } from '../../../domain/position/geo-point';
import type { ImageId } from '../../../domain/ids';
import { idSchema } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { TabletHost } from '../../../platform/host';
import { CloudHttp } from './cloud-http';
import { readBoundedText, errorFromResponse, exchange } from '../http';

/** Larger than any picture that a server makes, in bytes. */
const PICTURE_MAX = 24 * 1024 * 1024;

const text = z.string().nullish().catch(null);
const linkSchema = z.object({
  token: z.string().regex(/^[0-9A-Za-z_-]{1,200}$/),
  url: z.string().regex(/^[0-9A-Za-z_.-]{1,200}$/),
});

/** Census photograph as the cloud sends it (2§3 "Image"). */
const censusImageSchema = z.looseObject({
  id: idSchema,
  token: linkSchema.shape.token,
  url: linkSchema.shape.url,
  path: text,
  survey: z.looseObject({ id: idSchema, name: text, regionId: text, _geoloc: geoPointSchema.nullish().catch(null) }),
  user: z
    .looseObject({
      name: z.looseObject({ first: text, last: text }).nullish().catch(null),
      org: z.looseObject({ handle: text, name: text }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  position: geoPointSchema.nullish().catch(null),
  color_corrected: linkSchema.nullish().catch(null),
  analyses: z.int().min(0).optional().catch(undefined),
});
export type CensusImage = z.infer<typeof censusImageSchema>;

const pageSchema = z.object({ items: z.array(z.unknown()), next: z.string().nullable() });

interface CensusPage {
  readonly images: readonly CensusImage[];
  /** Cursor of the next page; null: the end. */
  readonly next: string | null;
}

/** Census photographs of the cloud. @throws ReefError from every method: from the cloud, `disconnected`, `timeout` */
export class CensusReads {
  readonly #host: Pick<TabletHost, 'fetch' | 'timers' | 'clock'>;
  readonly #origin: string;
  readonly #bearer: string;

  constructor(host: Pick<TabletHost, 'fetch' | 'timers' | 'clock'>, origin: string, bearer: string) {
    this.#host = host;
    this.#origin = origin;
    this.#bearer = bearer;
  }

  /**
   * Photographs that the session's user has not analysed, from a random position on.
   *
   * @param from hex: a position of 32 digits, or the `next` of a page
   * @param labelsOf region of photographs with outlines to label, a few a page and in the order of their priority;
   * absent: all photographs
   */
  async imagesToAnalyse(from: string, isExpert: boolean, labelsOf?: string): Promise<CensusPage> {
    const query = new URLSearchParams({
      from,
      ...(isExpert ? { expert: 'true' } : {}),
      ...(labelsOf === undefined ? {} : { labels: 'true', regionId: labelsOf }),
    });
    const page = await this.#fetchPage(`/api/query/images-to-analyse?${query}`);
    return { images: page.items.flatMap(parseImage), next: page.next };
  }

  /** Returns one photograph, analysed or not; null if the cloud does not show it. */
  async fetchImage(imageId: ImageId): Promise<CensusImage | null> {
    const page = await this.#fetchPage(`/api/query/census-image?imageId=${imageId}`);
    return page.items.flatMap(parseImage)[0] ?? null;
  }

  /** Fetches a cached picture; null if the cloud has none at that path. @param path `token/url` */
  async fetchPicture(size: number, path: string): Promise<Blob | null> {
    return exchange(
      this.#host,
      `${this.#origin}/cache/${size}/${path}`,
      { credentials: 'omit' },
      LIMITS.receiptTimeoutMs,
      async (response) => {
        if (!response.ok) {
          const error = errorFromResponse(response.status, await readBoundedText(response));
          if (error.code === 'not-found' || error.code === 'unsupported-media') return null;
          throw error;
        }
        if (
          !(response.headers.get('content-type') ?? '').startsWith('image/') ||
          Number(response.headers.get('content-length') ?? 0) > PICTURE_MAX
        ) {
          await response.body?.cancel();
          throw new ReefError('internal', { message: 'The server did not return a valid picture.' });
        }
        const blob = await response.blob();
        if (blob.size === 0 || blob.size > PICTURE_MAX)
          throw new ReefError('internal', { message: 'The server did not return a valid picture.' });
        return blob;
      },
    );
  }

  #fetchPage(path: string): Promise<z.infer<typeof pageSchema>> {
    return new CloudHttp(this.#host, this.#origin, this.#bearer).request(
      pageSchema,
      'GET',
      path,
      undefined,
      LIMITS.slowConnectionMs,
    );
  }
}

/** Unreadable items are skipped: a newer cloud may send more. */
function parseImage(value: unknown): readonly CensusImage[] {
  const read = censusImageSchema.safeParse(value);
  return read.success ? [read.data] : [];
}
