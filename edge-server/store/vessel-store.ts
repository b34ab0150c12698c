import path from 'node:path';
import Database from 'better-sqlite3';
import type { Database as SqliteDatabase } from 'better-sqlite3';
import type { Report } from './open-database';
import { openOrReplaceBroken } from './open-database';

/** Stored position fix: `at` in ms since 1970, degrees. */
export interface TrackPoint {
  readonly at: number;
  readonly lat: number;
  readonly lng: number;
}

/** State of a sending tablet; `owed` as last reported. */
export interface SenderRow {
  readonly deviceId: string;
  readonly person: string | null;
  readonly seenAt: string;
  readonly owed: { readonly records: number; readonly photographs: number; readonly bytes: number } | null;
  readonly surveyId: string | null;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS track (at INTEGER PRIMARY KEY, lat REAL NOT NULL, lng REAL NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS sender (deviceId TEXT PRIMARY KEY, person TEXT, seenAt TEXT NOT NULL, owed TEXT, surveyId TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS received (day TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS report (n INTEGER PRIMARY KEY AUTOINCREMENT, report TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS usage (n INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL) STRICT;
`;

/** Error reports of tablets that wait for the shore; the oldest beyond it go. */
const REPORTS_MAX = 500;
/** Events of use of tablets, likewise: those of a season of eight volunteers. */
const USAGE_MAX = 100_000;

/** Longest part of the track that a power cut may lose. */
const CHECKPOINT_INTERVAL_MS = 60_000;
/** A full disk is reported occasionally, not at each fix. */
const REPORT_INTERVAL_MS = 600_000;

/**
 * Notes of the box outside the record database: track, owed work per tablet, bytes per day, error
 * reports, events of use. In its own database with
 * `synchronous = NORMAL`: a killed process loses nothing, a power cut at most a minute, and GPS fixes do not slow the
 * disk. A failed write is reported and lost; nothing else depends on it.
 */
export class VesselStore {
  readonly #db: SqliteDatabase;
  readonly #report: Report;
  readonly #checkpointTimer: NodeJS.Timeout;
  #isDirty = false;
  #reportedAt = -Infinity;

  /**
   * @param home existing folder; the caller holds its lock
   * @param now current time, for the name of a broken file
   */
  constructor(home: string, now: () => Date, report: Report) {
    this.#db = openVesselDatabase(path.join(home, 'vessel.db'), now, report);
    this.#report = report;
    this.#checkpointTimer = setInterval(() => this.#checkpoint(), CHECKPOINT_INTERVAL_MS).unref();
  }

  /** @returns false if it could not be written */
  addFix({ at, lat, lng }: TrackPoint): boolean {
    return this.#write(() =>
      this.#db
        .prepare(
          'INSERT INTO track (at, lat, lng) VALUES (?, ?, ?) ON CONFLICT (at) DO UPDATE SET lat = excluded.lat, lng = excluded.lng',
        )
        .run(at, lat, lng),
    );
  }

  lastFix(): TrackPoint | undefined {
    return this.#db.prepare<[], TrackPoint>('SELECT at, lat, lng FROM track ORDER BY at DESC LIMIT 1').get();
  }

  countFixes(from: number, to: number): number {
    return (
      this.#db
        .prepare<[number, number], { n: number }>('SELECT count(*) AS n FROM track WHERE at BETWEEN ? AND ?')
        .get(from, to)?.n ?? 0
    );
  }

  /**
   * Fixes of a time span, both ends included, in time order; only each `every`th, and always the first and the last.
   */
  fixes(from: number, to: number, every = 1): TrackPoint[] {
    if (every === 1)
      return this.#db
        .prepare<[number, number], TrackPoint>('SELECT at, lat, lng FROM track WHERE at BETWEEN ? AND ? ORDER BY at')
        .all(from, to);
    return this.#db
      .prepare<[number, number, number], TrackPoint>(
        `SELECT at, lat, lng FROM
           (SELECT at, lat, lng, row_number() OVER (ORDER BY at) - 1 AS n, lead(at) OVER (ORDER BY at) AS following FROM track WHERE at BETWEEN ? AND ?)
         WHERE n % ? = 0 OR following IS NULL ORDER BY at`,
      )
      .all(from, to, every);
  }

  /** Deletes fixes older than `before`, and the oldest beyond the newest `most`. */
  trimTrack(before: number, most: number): void {
    this.#write(() => {
      this.#db.prepare('DELETE FROM track WHERE at < ?').run(before);
      this.#db
        .prepare('DELETE FROM track WHERE at < (SELECT at FROM track ORDER BY at DESC LIMIT 1 OFFSET ?)')
        .run(most - 1);
    });
  }

  senders(): SenderRow[] {
    return this.#db
      .prepare<[], Omit<SenderRow, 'owed'> & { owed: string | null }>(
        'SELECT deviceId, person, seenAt, owed, surveyId FROM sender',
      )
      .all()
      .map((row) => ({ ...row, owed: row.owed === null ? null : (JSON.parse(row.owed) as SenderRow['owed']) }));
  }

  saveSender({ deviceId, person, seenAt, owed, surveyId }: SenderRow): void {
    this.#write(() =>
      this.#db
        .prepare(
          `INSERT INTO sender (deviceId, person, seenAt, owed, surveyId) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (deviceId) DO UPDATE SET person = excluded.person, seenAt = excluded.seenAt, owed = excluded.owed, surveyId = excluded.surveyId`,
        )
        .run(deviceId, person, seenAt, owed === null ? null : JSON.stringify(owed), surveyId),
    );
  }

  forgetSender(deviceId: string): void {
    this.#write(() => this.#db.prepare('DELETE FROM sender WHERE deviceId = ?').run(deviceId));
  }

  addReceived(day: string, bytes: number): void {
    this.#write(() =>
      this.#db
        .prepare(
          'INSERT INTO received (day, bytes) VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET bytes = bytes + excluded.bytes',
        )
        .run(day, bytes),
    );
  }

  /** Bytes per day from `day` on, in order. */
  receivedSince(day: string): { day: string; bytes: number }[] {
    return this.#db
      .prepare<[string], { day: string; bytes: number }>('SELECT day, bytes FROM received WHERE day >= ? ORDER BY day')
      .all(day);
  }

  /** Adds an error report, as JSON text. @returns false if it could not be written */
  addReport(report: string): boolean {
    return this.#write(() => {
      const { lastInsertRowid } = this.#db.prepare('INSERT INTO report (report) VALUES (?)').run(report);
      this.#db.prepare('DELETE FROM report WHERE n <= ?').run(Number(lastInsertRowid) - REPORTS_MAX);
    });
  }

  /** Oldest error reports. */
  reports(most: number): { n: number; report: string }[] {
    return this.#db
      .prepare<[number], { n: number; report: string }>('SELECT n, report FROM report ORDER BY n LIMIT ?')
      .all(most);
  }

  /** Deletes error reports up to a number. */
  removeReports(upTo: number): void {
    this.#write(() => this.#db.prepare('DELETE FROM report WHERE n <= ?').run(upTo));
  }

  /** Adds events of use, as JSON texts. @returns false if they could not be written */
  addUsage(events: readonly string[]): boolean {
    return this.#write(() => {
      let last = 0;
      for (const event of events)
        last = Number(this.#db.prepare('INSERT INTO usage (event) VALUES (?)').run(event).lastInsertRowid);
      this.#db.prepare('DELETE FROM usage WHERE n <= ?').run(last - USAGE_MAX);
    });
  }

  /** Oldest events of use. */
  usage(most: number): { n: number; event: string }[] {
    return this.#db
      .prepare<[number], { n: number; event: string }>('SELECT n, event FROM usage ORDER BY n LIMIT ?')
      .all(most);
  }

  /** Deletes events of use up to a number. */
  removeUsage(upTo: number): void {
    this.#write(() => this.#db.prepare('DELETE FROM usage WHERE n <= ?').run(upTo));
  }

  close(): void {
    clearInterval(this.#checkpointTimer);
    this.#db.close();
  }

  #write(work: () => unknown): boolean {
    try {
      this.#db.transaction(work)();
      this.#isDirty = true;
      return true;
    } catch (error) {
      this.#reportFailure(error);
      return false;
    }
  }

  /** Makes recent writes durable: a checkpoint syncs the log before it touches the database. */
  #checkpoint(): void {
    if (!this.#isDirty) return;
    try {
      this.#db.pragma('wal_checkpoint(PASSIVE)');
      this.#isDirty = false;
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  #reportFailure(error: unknown): void {
    if (performance.now() - this.#reportedAt < REPORT_INTERVAL_MS) return;
    this.#reportedAt = performance.now();
    this.#report(
      `The vessel's track and who sends cannot be noted (${error instanceof Error ? error.message : String(error)}). Records and photographs are not touched by this.`,
    );
  }
}

/**
 * Opens the file; if that fails, for example on a full disk, uses memory: a box must not fail to start for these notes.
 */
function openVesselDatabase(file: string, now: () => Date, report: Report): SqliteDatabase {
  let opened: SqliteDatabase | undefined;
  try {
    const { database, brokenFile } = openOrReplaceBroken(file, now);
    opened = database;
    if (brokenFile !== undefined)
      report(
        `The vessel’s track and the list of senders were damaged. They were moved to ${brokenFile} and start empty. No record and no photograph is affected.`,
      );
    database.pragma('synchronous = NORMAL');
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    opened?.close();
    report(
      `The vessel’s track and the list of senders cannot be stored until the next start (${error instanceof Error ? error.message : String(error)}).`,
    );
    const memory = new Database(':memory:');
    memory.exec(SCHEMA);
    return memory;
  }
}
