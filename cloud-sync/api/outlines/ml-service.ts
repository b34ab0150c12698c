import type { Logger } from 'pino';
import { parseOutlines } from '../../../src/domain/analysis/labelling/outline-collection';
import type { OutlineSet } from '../../../src/domain/analysis/labelling/outline';
import { ML_REQUEST_PATH, NO_OUTLINES_STATUS, OUTLINES_BYTES_MAX, MODEL_SIZES } from '../../../src/protocol/outlines';

/** Time for an answer from its request to its last byte, ms. */
const TIMEOUT_MS = 30_000;
/** Photographs asked about at the same time. */
const CONCURRENCY = 4;
/** Requests that may wait for their turn; beyond it there is no result. */
const WAITING_MAX = 64;

export interface MlQuestion {
  readonly surveyId: string;
  readonly imageId: string;
  /** Folder of the region's model. */
  readonly dir: string;
}

interface MlServiceOptions {
  /** Address to which `mlRequestJson` is added. */
  readonly url: URL;
  readonly log: Pick<Logger, 'warn'>;
  readonly timeoutMs?: number;
}

/** Service that predicts outlines (1§7), with the specification's parameters. */
export class MlService {
  readonly #options: MlServiceOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: MlServiceOptions) {
    this.#options = options;
  }

  /**
   * Asks for the outlines of a photograph, of all sizes that are stored.
   *
   * @returns `none`: status 500, "no result"; `failed`: no answer, or one that cannot be used, which is logged
   */
  async ask(question: MlQuestion): Promise<OutlineSet | 'none' | 'failed'> {
    if (!(await this.#takeTurn())) return 'failed';
    try {
      return await this.#ask(question);
    } catch (error) {
      const { imageId, dir } = question;
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn({ imageId, dir, reason }, 'the model service has no outlines that can be used');
      return 'failed';
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #ask(question: MlQuestion): Promise<OutlineSet | 'none'> {
    const answer = await fetch(this.#address(question), {
      signal: AbortSignal.timeout(this.#options.timeoutMs ?? TIMEOUT_MS),
      // A redirect would make this server ask any address.
      redirect: 'error',
      headers: { accept: 'application/json', 'user-agent': 'great-reef-census' },
    });
    if (answer.status === NO_OUTLINES_STATUS) {
      await answer.body?.cancel();
      return 'none';
    }
    const parsed = parseOutlines(JSON.parse(await textOf(answer)));
    if (parsed.kind === 'broken') throw new Error(`status ${answer.status}: ${parsed.reason}`);
    return parsed.set;
  }

  #address({ surveyId, imageId, dir }: MlQuestion): URL {
    const address = new URL(`${this.#options.url.href.replace(/\/+$/, '')}${ML_REQUEST_PATH}`);
    const query = {
      surveyId,
      imageId,
      mlAnalysisDir: dir,
      polygonThreshold: String(MODEL_SIZES.minSize),
      maxPolygonThreshold: String(MODEL_SIZES.maxSize),
    };
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    return address;
  }

  /** False if too many wait already. */
  async #takeTurn(): Promise<boolean> {
    if (this.#running >= CONCURRENCY) {
      if (this.#waiting.length >= WAITING_MAX) return false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
    return true;
  }
}

/** @throws Error for a longer body */
async function textOf(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > OUTLINES_BYTES_MAX) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
