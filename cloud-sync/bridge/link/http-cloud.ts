import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import type { ChangesPage } from '../../../src/protocol/changes';
import type {
  CloudKeysReply,
  CloudOpResult,
  CloudOpsReply,
  FleetReport,
  HaveReply,
  UploadReply,
} from '../../../src/protocol/cloud-http';
import type { BoxPeople } from '../../../src/protocol/person-statement';
import type { PublicKey } from '../../../src/protocol/receipt';
import type { ByteSource, CloudApi, NodeFacts } from './node-apis';
import { fetchTrace, keysSchema, nullIfNotFound, pageSchema, parseReply } from './http-edge';
import type { HttpLink } from './http-link';

const count = z.int().min(0);
const resultSchema = z.looseObject({ opId: z.string().nullable() });
const opsReplySchema = z.looseObject({ results: z.array(resultSchema) });
export const haveReplySchema = z.looseObject({ missing: z.array(z.string()) });
const uploadReplySchema = z.looseObject({
  uploadId: z.string().regex(/^[0-9A-Za-z]{12,64}$/),
  offset: count,
  complete: z.boolean(),
});
const peopleReplySchema = z.looseObject({ people: count.optional() });
const offsetSchema = z.looseObject({ offset: count });

/** The cloud over HTTP, with the token of a box. */
export class HttpCloud implements CloudApi {
  readonly #link: HttpLink;

  constructor(link: HttpLink) {
    this.#link = link;
  }

  identity(signal?: AbortSignal): Promise<NodeFacts> {
    return fetchTrace(this.#link, '/trace', 'www', signal);
  }

  async postOps(
    batch: { node: string; ops: readonly unknown[] },
    signal?: AbortSignal,
  ): Promise<readonly CloudOpResult[]> {
    return parseReply<CloudOpsReply>(opsReplySchema, await this.#post('/api/ops', batch, signal)).results;
  }

  async findMissing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]> {
    return parseReply<HaveReply>(haveReplySchema, await this.#post('/api/have', { sha256 }, signal)).missing;
  }

  async announce(
    blob: { sha256: string; bytes: number; type: string; node: string },
    signal?: AbortSignal,
  ): Promise<UploadReply> {
    return parseReply(uploadReplySchema, await this.#post('/api/uploads', blob, signal));
  }

  async upload(
    {
      uploadId,
      offset,
      length,
      source,
      timeoutMs,
    }: { uploadId: string; offset: number; length: number; source: ByteSource; timeoutMs: number },
    signal?: AbortSignal,
  ): Promise<number> {
    const headers = { 'Content-Type': 'application/partial-upload', 'Upload-Offset': String(offset) };
    const answer = await this.#link.json({
      method: 'PATCH',
      path: `/api/uploads/${uploadId}`,
      headers,
      bytes: { length, source },
      timeoutMs,
      signal,
    });
    return parseReply<{ offset: number }>(offsetSchema, answer).offset;
  }

  async changes(
    { since, limit, node }: { since: number; limit: number; node: string },
    signal?: AbortSignal,
  ): Promise<ChangesPage> {
    return parseReply(
      pageSchema,
      await this.#link.json({ method: 'GET', path: `/api/changes?since=${since}&limit=${limit}&node=${node}`, signal }),
    );
  }

  async keys(signal?: AbortSignal): Promise<CloudKeysReply> {
    return parseReply(keysSchema, await this.#link.json({ method: 'GET', path: '/api/keys', signal }));
  }

  jwks(signal?: AbortSignal): Promise<unknown> {
    return nullIfNotFound(this.#link.json({ method: 'GET', path: '/api/auth/jwks', signal }));
  }

  async reference(
    name: string,
    etag: string | null,
    signal?: AbortSignal,
  ): Promise<{ value: unknown; etag: string | null } | null> {
    const answer = await nullIfNotFound(
      this.#link.ask({
        method: 'GET',
        path: `/api/reference/${name}`,
        headers: etag === null ? {} : { 'If-None-Match': etag },
        signal,
      }),
    );
    if (answer === null || answer.status === 304) return null;
    try {
      return { value: JSON.parse(answer.body) as unknown, etag: answer.headers.etag ?? null };
    } catch (cause) {
      throw new ReefError('disconnected', { message: 'What answers there is not the cloud.', cause });
    }
  }

  async boxKeys(
    box: { node: string; keys: readonly PublicKey[]; receiptKeys: readonly PublicKey[] },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#post('/api/fleet/keys', box, signal);
  }

  async people(box: { node: string; people: BoxPeople }, signal?: AbortSignal): Promise<boolean> {
    const answer = await this.#post('/api/fleet/keys', { keys: [], ...box }, signal);
    return parseReply<{ people?: number }>(peopleReplySchema, answer).people !== undefined;
  }

  async report(report: FleetReport, signal?: AbortSignal): Promise<void> {
    await this.#post('/api/fleet/report', report, signal);
  }

  #post(path: string, json: unknown, signal?: AbortSignal): Promise<unknown> {
    return this.#link.json({ method: 'POST', path, json, signal });
  }
}
