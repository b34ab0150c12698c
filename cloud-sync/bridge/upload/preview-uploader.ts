import { CLOUD_BATCH_MAX, PREVIEWS_MAX, PREVIEW_BYTES_MAX } from '../../../src/protocol/cloud-http';
import type { Preview } from '../../../src/protocol/cloud-http';
import type { PreviewApi } from '../link/node-apis';
import type { BridgeContext } from '../bridge-context';
import { BudgetExhausted, reserveBudget, jsonBytes, pieceBytes, countReceived } from '../bridge-context';
import type { OwedItem } from '../state/bridge-state';
import { NodeError, callNode, isItemError } from '../node-error';

/**
 * Uploads previews ahead of photographs over a slow link, so that staff ashore see something soon. They are no part of
 * custody: a failed one blocks nothing.
 */
export class PreviewUploader {
  readonly #parts: BridgeContext;
  readonly #api: PreviewApi;
  /** Hashes checked with the cloud; true if it has a preview or none can be made. */
  readonly #ashore = new Map<string, boolean>();
  /** True for an older cloud without previews. */
  #isUnsupported = false;

  constructor(parts: BridgeContext, api: PreviewApi) {
    this.#parts = parts;
    this.#api = api;
  }

  /** Resets what is known about another cloud. */
  reset(): void {
    this.#ashore.clear();
    this.#isUnsupported = false;
  }

  /**
   * Sends previews of photographs that will take long.
   *
   * @param owed photographs that the cloud lacks, next first
   * @throws NodeError, BudgetExhausted
   */
  async send(owed: readonly OwedItem[], signal?: AbortSignal): Promise<void> {
    try {
      // Chosen again after each batch: by then the link is measured better.
      for (let worth = this.#candidates(owed); worth.length > 0; worth = this.#candidates(owed)) {
        await this.#checkMissing(worth, signal);
        await this.#sendBatch(worth, signal);
      }
    } catch (error) {
      if (!(error instanceof NodeError) || error.side !== 'cloud' || !isItemError(error)) throw error;
      // An older cloud, or one that rejects a preview: photographs are sent anyway.
      this.#isUnsupported = true;
      this.#parts.log('info', 'the cloud takes no small pictures ahead of photographs', { code: error.error.code });
    }
  }

  #candidates(owed: readonly OwedItem[]): OwedItem[] {
    if (this.#isUnsupported) return [];
    const { rate, limits } = this.#parts;
    const measured = rate.bytesPerSecond();
    // Only the first ones before any measurement: without previews the photographs measure the link.
    const near =
      measured === null
        ? owed.slice(0, limits.previewsBeforeMeasurement)
        : owed.filter(({ blob }) => (blob.bytes / measured) * 1000 > limits.previewFromMs);
    return near.filter(({ blob }) => this.#ashore.get(blob.sha256) !== true);
  }

  async #checkMissing(worth: readonly OwedItem[], signal?: AbortSignal): Promise<void> {
    const unasked = [...new Set(worth.map(({ blob }) => blob.sha256))].filter((sha256) => !this.#ashore.has(sha256));
    for (let from = 0; from < unasked.length; from += CLOUD_BATCH_MAX) {
      const asked = unasked.slice(from, from + CLOUD_BATCH_MAX);
      await reserveBudget(this.#parts, jsonBytes(asked), signal);
      const missing = await callNode('cloud', this.#api.missing(asked, signal));
      countReceived(this.#parts, missing);
      for (const sha256 of asked) this.#ashore.set(sha256, !missing.includes(sha256));
    }
  }

  /** Sends as many previews as fill a piece of the link. @throws NodeError, BudgetExhausted */
  async #sendBatch(worth: readonly OwedItem[], signal?: AbortSignal): Promise<void> {
    const left = this.#parts.budget.remainingBytes();
    if (left <= 0) throw new BudgetExhausted();
    const room = Math.min(pieceBytes(this.#parts), left);
    const previews: Preview[] = [];
    let bytes = 0;
    for (const item of worth) {
      if (previews.length >= PREVIEWS_MAX || bytes >= room) break;
      if (this.#ashore.get(item.blob.sha256) === true) continue;
      this.#ashore.set(item.blob.sha256, true);
      const picture = await this.#fetchPreview(item.blob.sha256, signal);
      if (picture === undefined) continue;
      previews.push({ sha256: item.blob.sha256, surveyId: item.blob.surveyId, madeAt: item.madeAt, picture });
      bytes += picture.length;
    }
    if (previews.length === 0) return;
    const { clock, rate } = this.#parts;
    const begun = clock.elapsed();
    try {
      await reserveBudget(this.#parts, jsonBytes(previews), signal);
      await callNode('cloud', this.#api.send({ node: this.#parts.node(), previews }, signal));
      rate.note(bytes, begun, clock.elapsed());
    } catch (error) {
      for (const { sha256 } of previews) this.#ashore.set(sha256, false);
      throw error;
    }
  }

  /** Base64; undefined if no preview can be made of this photograph. */
  async #fetchPreview(sha256: string, signal?: AbortSignal): Promise<string | undefined> {
    try {
      const bytes = await callNode('edge', this.#api.picture(sha256, signal));
      return bytes.length > PREVIEW_BYTES_MAX ? undefined : Buffer.from(bytes).toString('base64');
    } catch (error) {
      if (error instanceof NodeError && isItemError(error)) return undefined;
      throw error;
    }
  }
}
