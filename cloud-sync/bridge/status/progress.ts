import type { WriteStream } from 'node:tty';
import { formatBytes } from '../../../src/base/format-bytes';
import { formatCount } from '../../../src/base/plural';
import type { BridgeLog } from '../bridge-context';
import type { BridgeStatus } from './status';

/** Progress output: a live display in a terminal, otherwise only the log. */
interface Progress {
  show(status: BridgeStatus): void;
  /** Prints log lines without breaking the display; null: the log is separate. */
  readonly log: BridgeLog | null;
  end(): void;
}

/** Minimum interval between redraws, ms. */
const DRAW_MS = 250;
const BAR_CELLS = 28;
const SURVEYS_SHOWN = 6;

export function createProgress(out: NodeJS.WriteStream): Progress {
  return out.isTTY ? new TerminalProgress(out) : { show: () => undefined, log: null, end: () => undefined };
}

class TerminalProgress implements Progress {
  readonly #out: WriteStream;
  #lines = 0;
  #drawnAt = -Infinity;
  #last: BridgeStatus | null = null;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  readonly show = (status: BridgeStatus): void => {
    this.#last = status;
    if (performance.now() - this.#drawnAt >= DRAW_MS) this.#draw();
  };

  readonly log: BridgeLog = (level, message, fields = {}) => {
    this.#clear();
    const facts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
    this.#out.write(
      `${new Date().toTimeString().slice(0, 8)} ${level === 'info' ? '' : `${level}: `}${message}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}\n`,
    );
    this.#draw();
  };

  end(): void {
    this.#draw();
    this.#lines = 0;
  }

  #clear(): void {
    if (this.#lines > 0) this.#out.write(`\u001b[${this.#lines}A\u001b[0J`);
    this.#lines = 0;
  }

  #draw(): void {
    if (this.#last === null) return;
    this.#drawnAt = performance.now();
    this.#clear();
    const width = Math.max(40, this.#out.columns ?? 80) - 1;
    const lines = displayLines(this.#last).map((line) => line.slice(0, width));
    this.#out.write(`${lines.join('\n')}\n`);
    this.#lines = lines.length;
  }
}

export function displayLines(status: BridgeStatus): string[] {
  const { text, box, owed, sent, rate, leftMs, moving, surveys, dailyLimit, sentToday, heldCount, held } = status;
  const total = sent.bytes + owed.bytes;
  const share = total === 0 ? 1 : sent.bytes / total;
  const cells = Math.round(share * BAR_CELLS);
  const speed = rate === null ? '' : `  ${formatBytes(rate)}/s`;
  const left = leftMs === null || owed.bytes === 0 ? '' : `  done in ${formatDuration(leftMs)}`;
  return [
    '',
    `${box === '' ? 'Bridge' : box}: ${text}`,
    `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}] ${sent.images} of ${sent.images + owed.images} photographs, ${formatBytes(owed.bytes)} to go${speed}${left}`,
    ...moving.map(
      ({ sha256, bytes, offset }) =>
        `  now    ${sha256.slice(0, 8)}  ${Math.floor((100 * offset) / bytes)} % of ${formatBytes(bytes)}`,
    ),
    ...surveys
      .slice(0, SURVEYS_SHOWN)
      .map(
        ({ surveyId, images, bytes }) =>
          `  survey ${surveyId ?? 'none'}  ${formatCount(images, 'photograph')}, ${formatBytes(bytes)}`,
      ),
    ...(surveys.length > SURVEYS_SHOWN ? [`  and ${surveys.length - SURVEYS_SHOWN} more surveys`] : []),
    ...(dailyLimit === null ? [] : [`  today  ${formatBytes(sentToday)} of ${formatBytes(dailyLimit)}`]),
    ...held.map(({ opId, code, message }) => `  held   ${opId}: ${message} (${code})`),
    ...(heldCount > held.length ? [`  and ${heldCount - held.length} more records that wait`] : []),
  ];
}

function formatDuration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 1) return 'less than a minute';
  if (minutes < 90) return `${Math.round(minutes)} minutes`;
  const hours = minutes / 60;
  if (hours < 48) return `${Math.round(hours)} hours`;
  return `${Math.round(hours / 24)} days`;
}
