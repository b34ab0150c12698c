/** Reading of a first picture that the page began before the app: `src/app/first-reef`. */
export interface EarlyReading {
  readonly url: string;
  /** Latest version, parsed; undefined until one could be shown. */
  json: unknown;
  /** Called with each later version. */
  onVersion: ((json: unknown) => void) | null;
  /** Settles when no later version comes. */
  readonly done: Promise<void>;
  /** Settles when the app may replace the early page: a press on it is over. */
  readonly handOver: () => Promise<void>;
  /** Ends what serves the early page alone. */
  readonly release: () => void;
}

const page = globalThis as { earlyFirstPicture?: EarlyReading | undefined };

/** Hands a reading over to the app. */
export function offerEarlyReading(reading: EarlyReading): void {
  page.earlyFirstPicture = reading;
}

/** Reading of this address that is not taken over yet. */
export function earlyReading(url: string): EarlyReading | null {
  const early = page.earlyFirstPicture;
  return early?.url === url ? early : null;
}

/** Settles when no press on an early page would be lost by replacing it. */
export async function untilEarlyPageIsFree(): Promise<void> {
  await page.earlyFirstPicture?.handOver();
}

/** Takes a reading over: the app calls it once its own page has replaced the early one. */
export function takeEarlyReading(url: string): EarlyReading | null {
  const early = page.earlyFirstPicture;
  // One of another address serves no one any more.
  page.earlyFirstPicture = undefined;
  early?.release();
  return early?.url === url ? early : null;
}
