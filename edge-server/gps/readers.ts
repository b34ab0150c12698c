import { LineReader } from './line-reader';
import type { Line } from './line-reader';
import { parseReport } from './gpsd';
import { parseSentence } from './nmea';
import type { Reading } from './reading';

export interface ReceiverReader {
  read(chunk: Uint8Array): Reading[];
  flush(): Reading[];
}

export class NmeaReader implements ReceiverReader {
  readonly #lines = new LineReader();

  read(chunk: Uint8Array): Reading[] {
    return this.#lines.read(chunk).flatMap(sentencesOf);
  }

  flush(): Reading[] {
    return this.#lines.flush().flatMap(sentencesOf);
  }
}

/** Reader of gpsd reports: one JSON object per line. */
export class GpsdReader implements ReceiverReader {
  readonly #lines = new LineReader();

  read(chunk: Uint8Array): Reading[] {
    return this.#lines.read(chunk).map((line) => ('tooLong' in line ? { kind: 'other' } : parseReport(line.text)));
  }

  flush(): Reading[] {
    return [];
  }
}

/**
 * Sentences of a line, without a multiplexer's tag block (`\…\`). After a lost line end a second one follows: each is
 * checked alone, so that a broken one does not spoil it.
 */
function sentencesOf(line: Line): Reading[] {
  if ('tooLong' in line) return [{ kind: 'broken', fault: 'too-long' }];
  const text = line.text.replace(/^\\[^\\]*\\/, '').trimEnd();
  const starts = [...text.matchAll(/[$!]/g)].map(({ index }) => index);
  if (starts[0] !== 0) starts.unshift(0);
  return starts.map((from, n) => parseSentence(text.slice(from, starts[n + 1])));
}
