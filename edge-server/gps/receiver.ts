import type { Logger } from 'pino';
import type { GpsFix, GpsSource, GpsState } from '../services/gps';
import type { Clocks } from './fix-maker';
import { FixMaker } from './fix-maker';
import { GPSD_WATCH } from './gpsd';
import type { Link, LinkEvents } from './links';
import { tcpLink, udpLink } from './links';
import { GpsdReader, NmeaReader } from './readers';
import type { Reader } from './readers';
import type { Fault, Reading } from './reading';

/** A fix is told at most this often (ms), the newest one; a receiver may give ten a second, in four sentences each. */
const TELL_MS = 1_000;
/** An older fix is none that the vessel has now (ms). */
const FRESH_MS = 10_000;

/** What came, by its kind; `broken` by what was wrong. */
export interface ReadingCounts {
  readonly taken: number;
  readonly void: number;
  readonly other: number;
  readonly broken: Readonly<Record<Fault, number>>;
}

export interface ReceiverOptions {
  readonly clocks: Clocks;
  readonly log: Logger;
  /** For tests: shortens all waits. */
  readonly hurry?: number;
}

/** A receiver at a `GPS_URL`, kept up over everything that may happen to it. */
export class Receiver implements GpsSource {
  readonly #maker: FixMaker;
  readonly #clocks: Clocks;
  readonly #log: Logger;
  readonly #listeners = new Set<(fix: GpsFix) => void>();
  readonly #link: Link;
  readonly #counts = {
    taken: 0,
    void: 0,
    other: 0,
    broken: { form: 0, 'no-checksum': 0, checksum: 0, field: 0, 'too-long': 0 },
  };
  #fix: GpsFix | null = null;
  #told = -Infinity;
  #late: NodeJS.Timeout | undefined;
  #isAway: boolean | undefined;

  /** @param url one that the settings have checked */
  constructor(url: string, { clocks, log, hurry }: ReceiverOptions) {
    this.#clocks = clocks;
    this.#log = log;
    const scheme = url.slice(0, url.indexOf(':'));
    this.#maker = new FixMaker(clocks, scheme === 'gpsd' ? 'gpsd' : 'nmea', scheme !== 'nmea+udp');
    const [, host = '', port = ''] =
      /^[^:]+:\/\/(?:\[([^\]]+)\]|([^\s/:]+)):(\d+)\/?$/.exec(url)?.filter((part) => part !== undefined) ?? [];
    const place = { host, port: Number(port), ...(hurry === undefined ? {} : { hurry }) };
    const newReader = (): Reader => (scheme === 'gpsd' ? new GpsdReader() : new NmeaReader());
    const events = this.#events(newReader, url);
    this.#link =
      scheme === 'nmea+udp'
        ? udpLink(place, events)
        : tcpLink({ ...place, ...(scheme === 'gpsd' ? { greeting: GPSD_WATCH } : {}) }, events);
  }

  current(): GpsFix | null {
    return this.#fix;
  }

  onFix(listener: (fix: GpsFix) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  state(): GpsState {
    if (this.#fix?.receivedAt !== undefined && this.#clocks.ticks() - this.#fix.receivedAt <= FRESH_MS) return 'fix';
    return this.#isAway === false ? 'no-fix' : 'away';
  }

  /** What came so far. */
  counts(): ReadingCounts {
    return { ...this.#counts, broken: { ...this.#counts.broken } };
  }

  close(): void {
    this.#link.close();
    clearTimeout(this.#late);
    this.#listeners.clear();
  }

  #events(newReader: () => Reader, url: string): LinkEvents {
    return {
      open: () => {
        const reader = newReader();
        return { bytes: (chunk) => this.#take(reader.read(chunk), url), end: () => this.#take(reader.end(), url) };
      },
      away: (why) => {
        if (this.#isAway !== true) this.#log.warn({ url, why }, 'the GPS receiver is away; it is tried again');
        this.#isAway = true;
      },
    };
  }

  /** True where any of them is what a receiver sends. */
  #take(readings: readonly Reading[], url: string): boolean {
    let useful = false;
    for (const reading of readings) {
      if (reading.kind === 'broken') {
        this.#counts.broken[reading.fault] += 1;
        continue;
      }
      useful = true;
      this.#counts[reading.kind === 'void' || reading.kind === 'other' ? reading.kind : 'taken'] += 1;
      const fix = this.#maker.take(reading);
      if (fix !== null) this.#hold(fix);
    }
    if (useful && this.#isAway !== false) {
      this.#isAway = false;
      this.#log.info({ url }, 'the GPS receiver is heard');
    }
    return useful;
  }

  #hold(fix: GpsFix): void {
    this.#fix = fix;
    if (this.#late !== undefined) return;
    const wait = TELL_MS - (this.#clocks.ticks() - this.#told);
    if (wait <= 0) this.#tell();
    else {
      this.#late = setTimeout(() => {
        this.#late = undefined;
        this.#tell();
      }, wait).unref();
    }
  }

  #tell(): void {
    if (this.#fix === null) return;
    this.#told = this.#clocks.ticks();
    for (const listener of this.#listeners) listener(this.#fix);
  }
}
