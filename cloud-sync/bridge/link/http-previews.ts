import type { HaveReply, Preview } from '../../../src/protocol/cloud-http';
import type { PreviewApi } from './node-apis';
import { haveReplySchema } from './http-cloud';
import { parseReply } from './http-edge';
import type { HttpLink } from './http-link';

export class HttpPreviews implements PreviewApi {
  readonly #edge: HttpLink;
  readonly #cloud: HttpLink;

  constructor(edge: HttpLink, cloud: HttpLink) {
    this.#edge = edge;
    this.#cloud = cloud;
  }

  async picture(sha256: string, signal?: AbortSignal): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#edge.stream({ path: `/edge/blobs/${sha256}/preview`, signal })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  async missing(sha256: readonly string[], signal?: AbortSignal): Promise<readonly string[]> {
    return parseReply<HaveReply>(
      haveReplySchema,
      await this.#cloud.json({ method: 'POST', path: '/api/have', json: { sha256, of: 'previews' }, signal }),
    ).missing;
  }

  async send(batch: { node: string; previews: readonly Preview[] }, signal?: AbortSignal): Promise<void> {
    await this.#cloud.json({ method: 'POST', path: '/api/previews', json: batch, signal });
  }
}
