import { LineReader } from './line-reader';
import type { Line } from './line-reader';
import { parseReport } from './gpsd';
import { parseSentence } from './nmea';
import type { Reading } from './reading';

/** Turns the bytes of a connection into readings. */
export interface ReceiverReader {
  read(chunk: Uint8Array): Reading[];
  /** Ends the line that stands. */
  flush(): Reading[];
}

/** NMEA 0183. */
export class NmeaReader implements ReceiverReader {
  readonly #lines = new LineReader();

  read(chunk: Uint8Array): Reading[] {
    return this.#lines.read(chunk).flatMap(sentencesOf);
  }

  flush(): Reading[] {
    return this.#lines.flush().flatMap(sentencesOf);
  }
}

/** Reports of gpsd: one JSON object a line. */
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
 * The sentences of a line. A multiplexer's tag block (`\…\`) is left out. Where a line end was lost on the way, a second
 * sentence begins within the line: each is judged by itself, so that the whole one is not lost with the broken one.
 */
function sentencesOf(line: Line): Reading[] {
  if ('tooLong' in line) return [{ kind: 'broken', fault: 'too-long' }];
  const text = line.text.replace(/^\\[^\\]*\\/, '').trimEnd();
  const starts = [...text.matchAll(/[$!]/g)].map(({ index }) => index);
  if (starts[0] !== 0) starts.unshift(0);
  return starts.map((from, n) => parseSentence(text.slice(from, starts[n + 1])));
}
