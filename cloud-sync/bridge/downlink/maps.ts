import type { MapFile, WantedMapFile } from '../../../src/protocol/map-files';
import { MAP_PIECE_BYTES_MAX } from '../../../src/protocol/map-files';
import type { BridgeContext } from '../bridge-context';
import { countReceived, reserveBudget } from '../bridge-context';
import { REQUEST_BYTES } from '../limits';
import type { MapApi, MapPiece } from '../link/node-apis';
import { NodeError, callNode, isItemError } from '../node-error';

/** Longest turn of the map in a round, ms: new records and commands of the crew come first. */
const TURN_MS = 30_000;
/** Part of a day's budget that stays for records and photographs. */
const RESERVED = 0.5;
/** Time that a piece should take, ms. */
const PIECE_MS = 5_000;
/** Times in a turn that a file may arrive damaged or changed. */
const TRIES_MAX = 3;

/**
 * Brings the public map aboard (3§7), after everything else: tables first, then archives of tiles. The box has what came
 * of each file, so that a cut costs no byte that arrived, and proves each file by its hash.
 */
export class MapDownloader {
  readonly #parts: BridgeContext;
  readonly #api: MapApi;
  #files: readonly MapFile[] = [];
  #etag: string | null = null;
  #pausedUntil = -Infinity;
  /** Grows while pieces come soon: nothing that arrived is lost by a cut. */
  #pieceBytes: number;

  constructor(parts: BridgeContext, api: MapApi) {
    this.#parts = parts;
    this.#api = api;
    this.#pieceBytes = parts.limits.pieceBytesMin;
  }

  /** Starts over, for another box or cloud. */
  reset(): void {
    this.#files = [];
    this.#etag = null;
    this.#pausedUntil = -Infinity;
  }

  /** Brings map files for at most half a minute. @throws NodeError, BudgetExhausted */
  async bring(signal?: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.elapsed() + TURN_MS;
    if (clock.elapsed() < this.#pausedUntil || !this.#mayReceive()) return;
    await this.#refreshList(signal);
    const wanted = await callNode('edge', this.#api.wanted(this.#files, signal));
    for (const want of wanted ?? []) {
      const file = this.#files.find(({ sha256 }) => sha256 === want.sha256);
      if (file === undefined) continue;
      const outcome = await this.#bringFile(file, want, until, signal);
      if (outcome === 'out-of-time') return;
      // The list that names another content comes in the next round.
      if (outcome === 'changed') this.#etag = null;
      if (outcome !== 'whole') return this.#pause();
    }
    this.#pause();
  }

  /** Ends the turn: the box has everything, or cannot take more now. */
  #pause(): void {
    this.#pausedUntil = this.#parts.clock.elapsed() + this.#parts.limits.mapsMs;
  }

  /** False while the rest of the day's budget is for records and photographs. */
  #mayReceive(): boolean {
    return this.#leftToday() > 2 * REQUEST_BYTES;
  }

  /** Bytes of the day's budget that the map may still use. */
  #leftToday(): number {
    const { budget } = this.#parts;
    return budget.daily === null ? Infinity : budget.remainingBytes() - RESERVED * budget.daily;
  }

  /** Size of the next piece: no more than is missing, or than the budget has for the map. */
  #nextPiece({ bytes }: MapFile, offset: number): number {
    const missing = Math.max(bytes - offset, this.#parts.limits.pieceBytesMin);
    return Math.floor(Math.min(this.#pieceBytes, missing, this.#leftToday()));
  }

  async #refreshList(signal?: AbortSignal): Promise<void> {
    await reserveBudget(this.#parts, 0, signal);
    const found = await callNode('cloud', this.#api.list(this.#etag, signal));
    if (found === null) return;
    countReceived(this.#parts, found.files);
    this.#files = found.files;
    this.#etag = found.etag;
  }

  /** @throws NodeError of the link, once what came is on the box */
  async #bringFile(
    file: MapFile,
    { offset: start }: WantedMapFile,
    until: number,
    signal?: AbortSignal,
  ): Promise<'whole' | 'out-of-time' | 'changed' | 'refused'> {
    const { budget, cap, clock, log } = this.#parts;
    let [offset, tries] = [start, 0];
    while (tries < TRIES_MAX) {
      if (clock.elapsed() >= until || !this.#mayReceive()) return 'out-of-time';
      // The wait for a capped link is part of the time that a piece takes.
      const askedAt = clock.elapsed();
      await reserveBudget(this.#parts, 0, signal);
      const most = this.#nextPiece(file, offset);
      await cap.acquire(most, signal);
      const piece = await callNode('cloud', this.#api.piece(file, { offset, bytes: most }, signal));
      if (piece === null) return 'changed';
      this.#adapt(clock.elapsed() - askedAt);
      budget.spend(piece.bytes.length);
      try {
        const stored = await this.#store(file, offset, piece, signal);
        if (stored.complete) return 'whole';
        offset = stored.offset;
      } catch (error) {
        if (!(error instanceof NodeError) || error.side !== 'edge') throw error;
        const { code, details } = error.error;
        if (code === 'storage-full') return 'refused';
        if (!isItemError(error) && code !== 'hash-mismatch' && code !== 'offset-mismatch') throw error;
        tries++;
        log('warn', 'the box refused a part of the map', { code, address: file.address });
        offset = typeof details['offset'] === 'number' ? details['offset'] : 0;
      }
      if (piece.cut !== undefined) throw new NodeError('cloud', piece.cut);
    }
    return 'refused';
  }

  #adapt(tookMs: number): void {
    const { pieceBytesMin } = this.#parts.limits;
    const next = this.#pieceBytes * (tookMs < PIECE_MS / 2 ? 2 : tookMs > PIECE_MS ? 0.5 : 1);
    this.#pieceBytes = Math.min(MAP_PIECE_BYTES_MAX, Math.max(pieceBytesMin, Math.floor(next)));
  }

  async #store(
    file: MapFile,
    offset: number,
    { bytes, length }: MapPiece,
    signal?: AbortSignal,
  ): Promise<{ readonly offset: number; readonly complete: boolean }> {
    if (bytes.length === 0 && offset < length) return { offset, complete: false };
    return callNode('edge', this.#api.append(file.sha256, { offset, length, bytes }, signal));
  }
}
