import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { TabletHost } from '../../../platform/host';
import type { ServedSize, SessionsReply } from '../../../protocol/edge-http';
import { PICTURE_SIZE_HEADER, sessionsReplySchema } from '../../../protocol/edge-http';
import type { EdgeUser } from '../../../protocol/edge-socket';
import type { PublishedKeys } from '../http';
import { readBoundedText, errorFromResponse, exchange, parseJson, parseKeys } from '../http';

/** Reference data may be larger: the reefs of a region, its features. */
const REFERENCE_MAX = 16 * 1024 * 1024;

/** Error codes of a box that does not share its pairing code, or is too old to. */
const PAIRING_CODE_WITHHELD: readonly string[] = ['not-found', 'forbidden', 'unauthorised'];

/** Error codes of a box that has no picture of a photograph, or is too old to show any. */
const NO_PREVIEW_CODES: readonly string[] = ['not-found', 'unsupported-media', 'too-large'];

interface UploadProgress {
  readonly offset: number;
}

/** HTTP client of a box. Every call has a timeout; every failure is a named error. */
export class EdgeHttp {
  readonly #host: Pick<TabletHost, 'fetch' | 'timers'>;

  constructor(
    host: Pick<TabletHost, 'fetch' | 'timers'>,
    readonly origin: string,
  ) {
    this.#host = host;
  }

  /** `GET /edge/trace?nonce=`, unparsed. @throws ReefError `disconnected`, `timeout` */
  async trace(nonce: string, path = '/edge/trace', timeoutMs: number = LIMITS.slowConnectionMs): Promise<string> {
    return this.#call(
      `${path}?nonce=${nonce}`,
      { cache: 'no-store', redirect: 'error', credentials: 'omit' },
      timeoutMs,
    );
  }

  /** @throws ReefError `disconnected`, `timeout`, `bad-message` if the server is not a box */
  async keys(): Promise<PublishedKeys> {
    return parseKeys(
      parseJson(await this.#call('/edge/keys', { cache: 'no-store', credentials: 'omit' })),
      'The server at this address is not a box of the census.',
    );
  }

  /** @throws ReefError from the box, `disconnected`, `timeout` */
  async patch(
    uploadId: string,
    offset: number,
    bytes: Uint8Array<ArrayBuffer>,
    session: string,
  ): Promise<UploadProgress> {
    const text = await this.#call(`/edge/uploads/${uploadId}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${session}`,
        'content-type': 'application/partial-upload',
        'upload-offset': String(offset),
      },
      body: bytes,
    });
    const answer = z.object({ offset: z.int().min(0) }).safeParse(parseJson(text));
    if (!answer.success)
      throw new ReefError('internal', { message: 'The box sent an invalid reply. Your work is safe here.' });
    return answer.data;
  }

  /** @throws ReefError from the box, `disconnected`, `timeout` */
  async signIn(message: {
    email: string;
    name: { first: string; last: string };
    device: { id: string; name: string };
    session?: string;
  }): Promise<{ session: string; user: EdgeUser }> {
    const { session, ...body } = message;
    const text = await this.#call('/edge/sign-in', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(session === undefined ? {} : { authorization: `Bearer ${session}` }),
      },
      body: JSON.stringify(body),
    });
    const answer = z
      .object({
        session: z.string(),
        user: z.looseObject({
          uid: z.string(),
          email: z.string(),
          name: z.object({ first: z.string(), last: z.string() }),
          pending: z.boolean(),
        }),
      })
      .safeParse(parseJson(text));
    if (!answer.success)
      throw new ReefError('internal', { message: 'The box sent an invalid reply. Your work is safe here.' });
    return answer.data;
  }

  /**
   * Corrects the name of the person who signed in at the box.
   * @throws ReefError `forbidden` if they did not sign in there, from the box, `disconnected`, `timeout`
   */
  async correctName(session: string, name: { readonly first: string; readonly last: string }): Promise<void> {
    await this.#call('/edge/profile', postAs(session, { name }));
  }

  /** Signs the person out; the tablet retains the session. @throws ReefError from the box, `disconnected`, `timeout` */
  async signOut(session: string): Promise<void> {
    await this.#call('/edge/disconnect', postAs(session, {}));
  }

  /**
   * Code for pairing another tablet, as the box shows it to a paired one; empty if none is required.
   *
   * @returns null if the box shows it only on its console
   * @throws ReefError `disconnected`, `timeout`, from the box
   */
  async pairingCode(session: string): Promise<string | null> {
    try {
      const text = await this.#call('/edge/pairing', {
        cache: 'no-store',
        credentials: 'omit',
        headers: { authorization: `Bearer ${session}` },
      });
      const answer = z.object({ code: z.string().max(32).nullable() }).safeParse(parseJson(text));
      return answer.success ? (answer.data.code ?? '') : null;
    } catch (error) {
      if (error instanceof ReefError && PAIRING_CODE_WITHHELD.includes(error.code)) return null;
      throw error;
    }
  }

  /** Makes the box choose another pairing code. @throws ReefError `forbidden`, from the box, `disconnected`, `timeout` */
  async renewPairingCode(session: string): Promise<void> {
    await this.#call('/edge/pairing', postAs(session, {}));
  }

  /** Sessions that the current user may end. @throws ReefError from the box, `disconnected`, `timeout` */
  async sessions(session: string): Promise<SessionsReply> {
    const text = await this.#call('/edge/sessions', {
      cache: 'no-store',
      credentials: 'omit',
      headers: { authorization: `Bearer ${session}` },
    });
    const answer = sessionsReplySchema.safeParse(parseJson(text));
    if (!answer.success) throw new ReefError('internal', { message: 'The box sent an invalid reply.' });
    return answer.data;
  }

  /** @throws ReefError `not-found`, `forbidden`, from the box, `disconnected`, `timeout` */
  async endSession(session: string, ending: { readonly id: string; readonly unpair: boolean }): Promise<void> {
    await this.#call('/edge/sessions/end', postAs(session, ending));
  }

  /**
   * Fetches reference data of the box (`GET /edge/reference/<name>`).
   *
   * @param known ETag of the stored version, which is not sent again
   * @returns `unchanged`, `none` if the box has nothing by that name, else the JSON as text
   * @throws ReefError from the box, `disconnected`, `timeout`
   */
  async reference(
    name: string,
    session: string,
    known?: string,
  ): Promise<'unchanged' | 'none' | { readonly etag: string; readonly text: string }> {
    const headers = { authorization: `Bearer ${session}`, ...(known === undefined ? {} : { 'if-none-match': known }) };
    return this.#exchange(
      `/edge/reference/${name}`,
      { headers, cache: 'no-store', credentials: 'omit' },
      LIMITS.receiptTimeoutMs,
      async (response) => {
        if (response.status === 304) return 'unchanged' as const;
        if (response.status === 404) return 'none' as const;
        const text = await readBoundedText(response, REFERENCE_MAX);
        if (!response.ok) throw errorFromResponse(response.status, text);
        return { etag: response.headers.get('etag') ?? '', text };
      },
    );
  }

  /**
   * Fetches a photograph that another tablet added, at 800 px (`GET /edge/previews/<imageId>`).
   *
   * @returns null if the box has no preview: no bytes yet, or an unsupported format
   * @throws ReefError from the box, `disconnected`, `timeout`
   */
  async preview(imageId: string, session: string): Promise<Blob | null> {
    return (await this.picture(imageId, 800, session))?.blob ?? null;
  }

  /**
   * Fetches it at a size of 800, 2000 or 4000 px; otherwise {@link preview}.
   *
   * @returns `size` is the one that the box has; 800 from a box of version 1
   */
  async picture(
    imageId: string,
    size: ServedSize,
    session: string,
  ): Promise<{ readonly blob: Blob; readonly size: ServedSize } | null> {
    return this.#exchange(
      `/edge/previews/${imageId}${size === 800 ? '' : `?size=${size}`}`,
      { headers: { authorization: `Bearer ${session}` }, credentials: 'omit' },
      LIMITS.receiptTimeoutMs,
      async (response) => {
        if (response.ok) return { blob: await response.blob(), size: sizeOf(response) };
        const error = errorFromResponse(response.status, await readBoundedText(response));
        if (NO_PREVIEW_CODES.includes(error.code)) return null;
        throw error;
      },
    );
  }

  /**
   * Returns the text of a successful reply. The timeout includes the body: a half-open connection may send only the
   * headers.
   */
  async #call(path: string, init: RequestInit, timeoutMs: number = LIMITS.receiptTimeoutMs): Promise<string> {
    return this.#exchange(path, init, timeoutMs, async (response) => {
      const text = await readBoundedText(response);
      if (!response.ok) throw errorFromResponse(response.status, text);
      return text;
    });
  }

  #exchange<Answer>(
    path: string,
    init: RequestInit,
    timeoutMs: number,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer> {
    return exchange(this.#host, `${this.origin}${path}`, init, timeoutMs, read);
  }
}

function sizeOf(response: Response): ServedSize {
  const stated = Number(response.headers.get(PICTURE_SIZE_HEADER));
  return stated === 2000 || stated === 4000 ? stated : 800;
}

function postAs(session: string, body: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
    body: JSON.stringify(body),
  };
}
