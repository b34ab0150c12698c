import path from 'node:path';
import type { Database } from 'better-sqlite3';
import type { PersonStatement } from '../../src/protocol/person-statement';
import { STATEMENTS_MAX } from '../../src/protocol/person-statement';
import type { Report } from './open-database';
import { openOrReplaceBroken } from './open-database';

/** Stored session: the box has only the hash of its token. */
export interface SessionRow {
  readonly hash: string;
  readonly deviceId: string;
  /** The person as JSON, or null while no one is signed in. */
  readonly person: string | null;
  readonly createdAt: string;
  /** Last use, by the box's trusted time; absent before the first one by this version. */
  readonly usedAt?: string | null;
  /** Set once the session has ended: it still delivers. */
  readonly endedAt?: string | null;
  readonly endReason?: string | null;
  /** Device key of the session; absent until one is proven. */
  readonly key?: string | null;
}

export interface DeviceRow {
  readonly id: string;
  readonly name: string;
  readonly pairedAt: string;
  readonly seenAt: string;
}

export interface PersonRow {
  readonly uid: string;
  readonly deviceId: string;
  readonly email: string;
  readonly first: string;
  readonly last: string;
}

export interface ReferenceRow {
  readonly name: string;
  readonly body: string;
  readonly etag: string;
  readonly storedAt: string;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS device (id TEXT PRIMARY KEY, name TEXT NOT NULL, pairedAt TEXT NOT NULL, seenAt TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS session (hash TEXT PRIMARY KEY, deviceId TEXT NOT NULL, person TEXT, createdAt TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS session_life (hash TEXT PRIMARY KEY, usedAt TEXT NOT NULL, endedAt TEXT, endReason TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS session_key (hash TEXT PRIMARY KEY, key TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS device_key (deviceId TEXT PRIMARY KEY, key TEXT NOT NULL) STRICT;
  CREATE INDEX IF NOT EXISTS session_device ON session (deviceId, createdAt);
  CREATE TABLE IF NOT EXISTS person (
    uid TEXT PRIMARY KEY, deviceId TEXT NOT NULL, email TEXT NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, UNIQUE (deviceId, email)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS stated (uid TEXT PRIMARY KEY, nonce TEXT, statement TEXT) STRICT;
  CREATE TABLE IF NOT EXISTS signed_in (deviceId TEXT NOT NULL, uid TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (deviceId, uid)) STRICT;
  CREATE TABLE IF NOT EXISTS reference (name TEXT PRIMARY KEY, body TEXT NOT NULL, etag TEXT NOT NULL, storedAt TEXT NOT NULL) STRICT;
`;

const SESSIONS =
  'SELECT s.*, l.usedAt, l.endedAt, l.endReason, k.key FROM session s LEFT JOIN session_life l ON l.hash = s.hash LEFT JOIN session_key k ON k.hash = s.hash';

/** True if this version has run over the file. */
export function hasStatements(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'stated'").get() !== undefined;
}

/** The latest statements about people, newest first: as many as a message may have. */
export function readStatements(database: Database): PersonStatement[] {
  return database
    .prepare<[number], { statement: string }>(
      "SELECT statement FROM stated WHERE statement IS NOT NULL ORDER BY json_extract(statement, '$.signedAt') DESC LIMIT ?",
    )
    .all(STATEMENTS_MAX)
    .map(({ statement }) => JSON.parse(statement) as PersonStatement);
}

/** Newest sessions without a person per device; older ones were abandoned. */
const IDLE_SESSIONS_PER_DEVICE = 50;

/**
 * State besides the record: pairing, sessions, local people, settings, reference data. A separate database, so that the
 * append store stays the only writer of operations; losing it only requires pairing again.
 */
export class BoxState {
  readonly #db: Database;

  /**
   * @param home an existing folder, locked by the caller
   * @param stamp current time, for the name of a broken file that is set aside
   */
  constructor(home: string, stamp: () => Date, report: Report) {
    const { database, brokenFile } = openOrReplaceBroken(path.join(home, 'box.db'), stamp);
    if (brokenFile !== undefined) {
      report(
        `The box’s list of tablets was damaged. It was moved to ${brokenFile} and starts empty: tablets pair again, and the bridge delivers reference data again. No record and no photograph is affected.`,
      );
    }
    database.exec(SCHEMA);
    this.#db = database;
  }

  setting(key: string): string | undefined {
    return this.#db.prepare<[string], { value: string }>('SELECT value FROM setting WHERE key = ?').get(key)?.value;
  }

  setSetting(key: string, value: string): void {
    this.#db
      .prepare('INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
      .run(key, value);
  }

  /** Returns the setting; creates and stores it at first use. */
  settingOrCreate(key: string, make: () => string): string {
    const known = this.setting(key);
    if (known !== undefined) return known;
    const made = make();
    this.setSetting(key, made);
    return made;
  }

  device(id: string): DeviceRow | undefined {
    return this.#db.prepare<[string], DeviceRow>('SELECT * FROM device WHERE id = ?').get(id);
  }

  devices(): DeviceRow[] {
    return this.#db.prepare<[], DeviceRow>('SELECT * FROM device ORDER BY seenAt DESC, id').all();
  }

  pairDevice(device: { id: string; name: string }, now: string): void {
    this.#db
      .prepare(
        'INSERT INTO device (id, name, pairedAt, seenAt) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name, seenAt = excluded.seenAt',
      )
      .run(device.id, device.name, now, now);
  }

  session(hash: string): SessionRow | undefined {
    return this.#db.prepare<[string], SessionRow>(`${SESSIONS} WHERE s.hash = ?`).get(hash);
  }

  sessions(): SessionRow[] {
    return this.#db.prepare<[], SessionRow>(`${SESSIONS} ORDER BY l.usedAt DESC, s.rowid DESC`).all();
  }

  sessionsOf(deviceId: string): SessionRow[] {
    return this.#db.prepare<[string], SessionRow>(`${SESSIONS} WHERE s.deviceId = ?`).all(deviceId);
  }

  /** Counts the time since the last use from now on for sessions of an earlier version, which stored none. */
  startSessionLives(now: string): void {
    this.#db.prepare('INSERT OR IGNORE INTO session_life (hash, usedAt) SELECT hash, ? FROM session').run(now);
  }

  useSession(hash: string, now: string): void {
    this.#db
      .prepare(
        'INSERT INTO session_life (hash, usedAt) VALUES (?, ?) ON CONFLICT (hash) DO UPDATE SET usedAt = excluded.usedAt',
      )
      .run(hash, now);
  }

  /** Ends a session. The first reason stays. */
  endSession(hash: string, reason: string, now: string): void {
    this.#db
      .prepare(
        `INSERT INTO session_life (hash, usedAt, endedAt, endReason) VALUES (?1, ?2, ?2, ?3)
         ON CONFLICT (hash) DO UPDATE SET endedAt = ?2, endReason = ?3 WHERE endedAt IS NULL`,
      )
      .run({ 1: hash, 2: now, 3: reason });
  }

  countSessions(): { all: number; people: number } {
    const row = this.#db
      .prepare<[], { all: number; people: number }>(
        'SELECT count(*) AS "all", count(person) AS people FROM session WHERE hash NOT IN (SELECT hash FROM session_life WHERE endedAt IS NOT NULL)',
      )
      .get();
    return row ?? { all: 0, people: 0 };
  }

  addSession(row: SessionRow): void {
    this.#db.transaction(() => {
      this.#db
        .prepare('INSERT INTO session (hash, deviceId, person, createdAt) VALUES (?, ?, ?, ?)')
        .run(row.hash, row.deviceId, row.person, row.createdAt);
      this.#db
        .prepare(
          `DELETE FROM session WHERE deviceId = ?1 AND person IS NULL AND rowid NOT IN
             (SELECT rowid FROM session WHERE deviceId = ?1 AND person IS NULL ORDER BY rowid DESC LIMIT ?2)`,
        )
        .run({ 1: row.deviceId, 2: IDLE_SESSIONS_PER_DEVICE });
      for (const table of ['session_life', 'session_key'])
        this.#db.exec(`DELETE FROM ${table} WHERE hash NOT IN (SELECT hash FROM session)`);
    })();
  }

  /** Binds a session to a device key. The first key stays. */
  bindSession(hash: string, key: string): void {
    this.#db.prepare('INSERT OR IGNORE INTO session_key (hash, key) VALUES (?, ?)').run(hash, key);
  }

  /** Key to which a device id belongs. */
  deviceKey(deviceId: string): string | undefined {
    return this.#db.prepare<[string], { key: string }>('SELECT key FROM device_key WHERE deviceId = ?').get(deviceId)
      ?.key;
  }

  /** Gives a device id to a key. The first key stays. */
  saveDeviceKey(deviceId: string, key: string): void {
    this.#db.prepare('INSERT OR IGNORE INTO device_key (deviceId, key) VALUES (?, ?)').run(deviceId, key);
  }

  updateSession(hash: string, deviceId: string, person: string | null): void {
    this.#db.prepare('UPDATE session SET deviceId = ?, person = ? WHERE hash = ?').run(deviceId, person, hash);
  }

  person(deviceId: string, email: string): PersonRow | undefined {
    return this.#db
      .prepare<[string, string], PersonRow>('SELECT * FROM person WHERE deviceId = ? AND email = ?')
      .get(deviceId, email);
  }

  personOf(uid: string): PersonRow | undefined {
    return this.#db.prepare<[string], PersonRow>('SELECT * FROM person WHERE uid = ?').get(uid);
  }

  people(): PersonRow[] {
    return this.#db.prepare<[], PersonRow>('SELECT * FROM person').all();
  }

  /** @param nonce of a new person whose uid is the hash of the box's person key and this */
  savePerson(row: PersonRow, nonce?: string): void {
    this.#db.transaction(() => {
      if (nonce !== undefined) this.#db.prepare('INSERT INTO stated (uid, nonce) VALUES (?, ?)').run(row.uid, nonce);
      this.#db
        .prepare(
          `INSERT INTO person (uid, deviceId, email, first, last) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (uid) DO UPDATE SET email = excluded.email, first = excluded.first, last = excluded.last`,
        )
        .run(row.uid, row.deviceId, row.email, row.first, row.last);
    })();
  }

  /** Nonce of a person's uid, and the last statement about them as JSON. */
  stated(uid: string): { readonly nonce: string | null; readonly statement: string | null } | undefined {
    return this.#db
      .prepare<[string], { nonce: string | null; statement: string | null }>(
        'SELECT nonce, statement FROM stated WHERE uid = ?',
      )
      .get(uid);
  }

  saveStatement(uid: string, statement: string): void {
    this.#db
      .prepare(
        'INSERT INTO stated (uid, statement) VALUES (?, ?) ON CONFLICT (uid) DO UPDATE SET statement = excluded.statement',
      )
      .run(uid, statement);
  }

  statements(): PersonStatement[] {
    return readStatements(this.#db);
  }

  /** True if a sign-in of this person on any tablet had a token that names a device key. */
  hasKeyedSignIn(uid: string): boolean {
    return (
      this.#db
        .prepare("SELECT 1 FROM signed_in WHERE uid = ? AND json_extract(person, '$.key') IS NOT NULL LIMIT 1")
        .get(uid) !== undefined
    );
  }

  /**
   * Stores who signed in on a tablet, with the shore's claims as JSON: what they wrote there is theirs, even after
   * signing out.
   */
  saveSignIn(deviceId: string, uid: string, person: string): void {
    this.#db
      .prepare(
        'INSERT INTO signed_in (deviceId, uid, person) VALUES (?, ?, ?) ON CONFLICT (deviceId, uid) DO UPDATE SET person = excluded.person',
      )
      .run(deviceId, uid, person);
  }

  /** True if the person signed in here with a token of the shore. */
  hasAccount(uid: string): boolean {
    return this.#db.prepare<[string], unknown>('SELECT 1 FROM signed_in WHERE uid = ? LIMIT 1').get(uid) !== undefined;
  }

  signInOn(deviceId: string, uid: string): string | undefined {
    return this.#db
      .prepare<[string, string], { person: string }>('SELECT person FROM signed_in WHERE deviceId = ? AND uid = ?')
      .get(deviceId, uid)?.person;
  }

  reference(name: string): ReferenceRow | undefined {
    return this.#db.prepare<[string], ReferenceRow>('SELECT * FROM reference WHERE name = ?').get(name);
  }

  references(): { name: string; etag: string; storedAt: string }[] {
    return this.#db
      .prepare<[], { name: string; etag: string; storedAt: string }>(
        'SELECT name, etag, storedAt FROM reference ORDER BY name',
      )
      .all();
  }

  putReference(row: ReferenceRow): void {
    this.#db
      .prepare(
        `INSERT INTO reference (name, body, etag, storedAt) VALUES (?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET body = excluded.body, etag = excluded.etag, storedAt = excluded.storedAt`,
      )
      .run(row.name, row.body, row.etag, row.storedAt);
  }

  close(): void {
    this.#db.close();
  }
}
