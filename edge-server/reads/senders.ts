import { createHmac, randomBytes } from 'node:crypto';
import { Emitter } from '../../src/base/emitter';
import type { EdgeMessage, EdgeSender, EdgeUser } from '../../src/protocol/edge-socket';
import type { AppendStore } from '../../src/server/ops/append-store';
import type { SenderRow, VesselStore } from '../store/vessel-store';
import type { BoxState, DeviceRow } from '../store/box-state';
import { RateMeter } from './rate-meter';
import type { Session } from '../sign-in/sessions';
import { claimedIdOf } from '../sign-in/tablet-id';
import { surveyName } from './store-statistics';

/** Delay that groups notifications; a displayed rate changes no faster (ms). */
const COALESCE_MS = 1000;
/** Interval of notifications while bytes arrive, and once after they stop (ms). */
const RATE_MS = 2000;
/** Interval of saving a tablet's last-seen time while it sends (ms); everything else is saved at once. */
const SAVE_SEEN_MS = 30_000;
/** Maximum listed tablets, for a box that admits any tablet. */
const LISTED_MAX = 100;

const ALIAS_LENGTH = 16;

/** Connection of a tablet; only its identity counts. */
type Connection = object;

interface Sender {
  row: SenderRow;
  readonly connections: Set<Connection>;
  readonly meter: RateMeter;
  savedAt: number;
}

interface SendersContext {
  readonly vessel: VesselStore;
  readonly state: BoxState;
  readonly store: AppendStore;
  readonly clock: () => number;
  readonly ticks?: () => number;
}

/**
 * Tablets that send: presence, reported debt and measured receive rate. An absent tablet is shown as last seen, also
 * after a restart.
 */
export class Senders {
  readonly #parts: SendersContext;
  readonly #ticks: () => number;
  readonly #known = new Map<string, Sender>();
  readonly #byConnection = new Map<Connection, string>();
  readonly #changed = new Emitter();
  /** Registers a listener for changes, grouped by second; returns the unsubscribe function. */
  readonly onChange = this.#changed.subscribe;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: SendersContext) {
    this.#parts = parts;
    this.#ticks = parts.ticks ?? (() => performance.now());
    for (const row of parts.vessel.senders())
      this.#known.set(row.deviceId, { row, connections: new Set(), meter: new RateMeter(), savedAt: -Infinity });
  }

  connect(connection: Connection, session: Session): void {
    const before = this.#byConnection.get(connection);
    if (before !== undefined && before !== session.deviceId) this.disconnect(connection);
    this.#byConnection.set(connection, session.deviceId);
    this.#senderOf(session.deviceId).connections.add(connection);
    this.#update(session, {});
  }

  disconnect(connection: Connection): void {
    const deviceId = this.#byConnection.get(connection);
    if (deviceId === undefined || this.#closed) return;
    this.#byConnection.delete(connection);
    const sender = this.#senderOf(deviceId);
    sender.connections.delete(connection);
    this.#save(sender, { seenAt: this.#now() });
    this.#scheduleNotify();
  }

  /** Stores what the tablet reports as owed to the box. */
  setOwed(session: Session, { records, photographs, bytes, survey }: EdgeMessage<'owing'>): void {
    this.#update(session, {
      owed: { records, photographs, bytes },
      ...(survey === undefined ? {} : { surveyId: survey }),
    });
  }

  setSurvey(session: Session, surveyId: string): void {
    if (this.#senderOf(session.deviceId).row.surveyId !== surveyId) this.#update(session, { surveyId });
  }

  addReceived(session: Session, bytes: number): void {
    const sender = this.#senderOf(session.deviceId);
    sender.meter.add(bytes, this.#ticks());
    if (this.#ticks() - sender.savedAt >= SAVE_SEEN_MS) this.#save(sender, { seenAt: this.#now() });
    else sender.row = { ...sender.row, seenAt: this.#now() };
    this.#scheduleNotify();
  }

  /**
   * Lists the tablets: connected ones first, then by last-seen time. Others than the reader's go by an alias, since their
   * ids name them elsewhere.
   *
   * @param reader tablet that asks, or the admin token
   */
  async list(reader: string | 'admin'): Promise<readonly EdgeSender[]> {
    const now = this.#ticks();
    const devices = this.#parts.state.devices().map((device) => ({ device, sender: this.#known.get(device.id) }));
    const here = (sender: Sender | undefined): boolean => sender !== undefined && sender.connections.size > 0;
    const listed = devices
      .map(({ device, sender }) => ({
        device,
        sender,
        connected: here(sender),
        seenAt: latest(device, sender?.row, here(sender) ? this.#now() : ''),
      }))
      .sort(
        (a, b) => Number(b.connected) - Number(a.connected) || (a.seenAt < b.seenAt ? 1 : a.seenAt > b.seenAt ? -1 : 0),
      )
      .slice(0, LISTED_MAX);
    return Promise.all(
      listed.map(async ({ device, sender, connected, seenAt }) => ({
        deviceId:
          reader === 'admin' ? device.id : device.id === reader ? claimedIdOf(device.id) : this.#aliasOf(device.id),
        name: device.name,
        person: sender?.row.person ?? null,
        connected,
        seenAt,
        owed: sender?.row.owed ?? null,
        survey: await this.#surveyOf(sender?.row.surveyId ?? null),
        rate: sender?.meter.rate(now) ?? null,
      })),
    );
  }

  /** Name of a tablet that stays the same at this box and tells nothing. */
  #aliasOf(deviceId: string): string {
    const secret = this.#parts.state.settingOrCreate('senders.alias', () => randomBytes(32).toString('base64url'));
    return createHmac('sha256', secret).update(deviceId).digest('base64url').slice(0, ALIAS_LENGTH);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changed.clear();
    for (const sender of this.#known.values())
      if (sender.connections.size > 0) this.#save(sender, { seenAt: this.#now() });
  }

  async #surveyOf(id: string | null): Promise<EdgeSender['survey']> {
    if (id === null) return null;
    const stored = await this.#parts.store.document('survey', id);
    return stored === undefined || stored.folded.deleted ? null : { id, name: surveyName(stored.folded.doc) };
  }

  #update(session: Session, more: Partial<SenderRow>): void {
    this.#save(this.#senderOf(session.deviceId), { person: nameOf(session.person), seenAt: this.#now(), ...more });
    this.#scheduleNotify();
  }

  #senderOf(deviceId: string): Sender {
    const known = this.#known.get(deviceId);
    if (known !== undefined) return known;
    const made: Sender = {
      row: { deviceId, person: null, seenAt: this.#now(), owed: null, surveyId: null },
      connections: new Set(),
      meter: new RateMeter(),
      savedAt: -Infinity,
    };
    this.#known.set(deviceId, made);
    this.#evictOldest();
    return made;
  }

  /** Evicts the oldest, down to what is ever shown. */
  #evictOldest(): void {
    if (this.#known.size <= 2 * LISTED_MAX) return;
    const away = [...this.#known.values()]
      .filter(({ connections }) => connections.size === 0)
      .sort((a, b) => (a.row.seenAt < b.row.seenAt ? -1 : 1));
    for (const { row } of away.slice(0, this.#known.size - LISTED_MAX)) {
      this.#known.delete(row.deviceId);
      this.#parts.vessel.forgetSender(row.deviceId);
    }
  }

  #save(sender: Sender, more: Partial<SenderRow>): void {
    sender.row = { ...sender.row, ...more };
    sender.savedAt = this.#ticks();
    this.#parts.vessel.saveSender(sender.row);
  }

  #now(): string {
    return new Date(this.#parts.clock()).toISOString();
  }

  #scheduleNotify(): void {
    this.#timer ??= setTimeout(() => this.#notify(), COALESCE_MS).unref();
  }

  #notify(): void {
    const now = this.#ticks();
    const someSend = [...this.#known.values()].some(({ meter }) => meter.rate(now) !== null);
    this.#timer = someSend ? setTimeout(() => this.#notify(), RATE_MS).unref() : undefined;
    this.#changed.emit();
  }
}

function nameOf(person: EdgeUser | null): string | null {
  return person === null ? null : `${person.name.first} ${person.name.last}`.trim();
}

/** Latest of ISO times, which compare as text. */
function latest(device: DeviceRow, row: SenderRow | undefined, now: string): string {
  return [device.seenAt, row?.seenAt ?? '', now].reduce((a, b) => (a > b ? a : b));
}
