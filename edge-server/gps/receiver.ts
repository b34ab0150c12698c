import { Emitter } from '../../src/base/emitter';
import type { Logger } from 'pino';
import type { GpsFix, GpsSource, GpsState } from '../vessel/gps-source';
import type { FixClocks } from './fix-builder';
import { FixBuilder } from './fix-builder';
import { GPSD_WATCH } from './gpsd';
import type { ReceiverLink, LinkEvents } from './links';
import { openTcpLink, openUdpLink } from './links';
import { GpsdReader, NmeaReader } from './readers';
import type { ReceiverReader } from './readers';
import type { ReadingFault, Reading } from './reading';

/** Shortest interval of notifications, ms; a receiver may send ten fixes a second. */
const NOTIFY_EVERY_MS = 1_000;
const FIX_FRESH_MS = 10_000;

/** Readings by kind; `broken` by fault. */
interface ReadingCounts {
  readonly accepted: number;
  readonly void: number;
  readonly other: number;
  readonly broken: Readonly<Record<ReadingFault, number>>;
}

interface ReceiverOptions {
  readonly clocks: FixClocks;
  readonly log: Logger;
  /** For tests: divides all waits. */
  readonly hurry?: number;
}

/** Receiver at a `GPS_URL`, reconnected after every failure. */
export class Receiver implements GpsSource {
  readonly #builder: FixBuilder;
  readonly #clocks: FixClocks;
  readonly #log: Logger;
  readonly #fixes = new Emitter<GpsFix>();
  readonly onFix = this.#fixes.subscribe;
  readonly #link: ReceiverLink;
  readonly #counts = {
    accepted: 0,
    void: 0,
    other: 0,
    broken: { form: 0, 'no-checksum': 0, checksum: 0, field: 0, 'too-long': 0 },
  };
  #fix: GpsFix | null = null;
  #notifiedAt = -Infinity;
  #notifyTimer: NodeJS.Timeout | undefined;
  #isUnavailable: boolean | undefined;

  /** @param url validated by the settings */
  constructor(url: string, { clocks, log, hurry }: ReceiverOptions) {
    this.#clocks = clocks;
    this.#log = log;
    const scheme = url.slice(0, url.indexOf(':'));
    this.#builder = new FixBuilder(clocks, scheme === 'gpsd' ? 'gpsd' : 'nmea', scheme !== 'nmea+udp');
    const [, host = '', port = ''] =
      /^[^:]+:\/\/(?:\[([^\]]+)\]|([^\s/:]+)):(\d+)\/?$/.exec(url)?.filter((part) => part !== undefined) ?? [];
    const place = { host, port: Number(port), ...(hurry === undefined ? {} : { hurry }) };
    const newReader = (): ReceiverReader => (scheme === 'gpsd' ? new GpsdReader() : new NmeaReader());
    const events = this.#events(newReader, url);
    this.#link =
      scheme === 'nmea+udp'
        ? openUdpLink(place, events)
        : openTcpLink({ ...place, ...(scheme === 'gpsd' ? { greeting: GPSD_WATCH } : {}) }, events);
  }

  current(): GpsFix | null {
    return this.#fix;
  }

  state(): GpsState {
    if (this.#fix?.receivedAt !== undefined && this.#clocks.monotonic() - this.#fix.receivedAt <= FIX_FRESH_MS)
      return 'fix';
    return this.#isUnavailable === false ? 'no-fix' : 'away';
  }

  counts(): ReadingCounts {
    return { ...this.#counts, broken: { ...this.#counts.broken } };
  }

  close(): void {
    this.#link.close();
    clearTimeout(this.#notifyTimer);
    this.#fixes.clear();
  }

  #events(newReader: () => ReceiverReader, url: string): LinkEvents {
    return {
      onOpen: () => {
        const reader = newReader();
        return {
          onBytes: (chunk) => this.#processReadings(reader.read(chunk), url),
          onEnd: () => this.#processReadings(reader.flush(), url),
        };
      },
      onUnavailable: (why) => {
        if (this.#isUnavailable !== true) this.#log.warn({ url, why }, 'the GPS receiver is unreachable; retrying');
        this.#isUnavailable = true;
      },
    };
  }

  /** True if any reading is valid. */
  #processReadings(readings: readonly Reading[], url: string): boolean {
    let useful = false;
    for (const reading of readings) {
      if (reading.kind === 'broken') {
        this.#counts.broken[reading.fault] += 1;
        continue;
      }
      useful = true;
      this.#counts[reading.kind === 'void' || reading.kind === 'other' ? reading.kind : 'accepted'] += 1;
      const fix = this.#builder.build(reading);
      if (fix !== null) this.#storeFix(fix);
    }
    if (useful && this.#isUnavailable !== false) {
      this.#isUnavailable = false;
      this.#log.info({ url }, 'the GPS receiver is connected');
    }
    return useful;
  }

  #storeFix(fix: GpsFix): void {
    this.#fix = fix;
    if (this.#notifyTimer !== undefined) return;
    const wait = NOTIFY_EVERY_MS - (this.#clocks.monotonic() - this.#notifiedAt);
    if (wait <= 0) this.#notify();
    else {
      this.#notifyTimer = setTimeout(() => {
        this.#notifyTimer = undefined;
        this.#notify();
      }, wait).unref();
    }
  }

  #notify(): void {
    if (this.#fix === null) return;
    this.#notifiedAt = this.#clocks.monotonic();
    this.#fixes.emit(this.#fix);
  }
}
