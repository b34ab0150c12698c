/**
 * Cloud of an older version, as `cloud-version-recorder.ts` recorded it: its database, its home, and the facts that
 * still hold.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { JSONWebKeySet } from 'jose';
import pg from 'pg';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { CloudUser } from '../../../src/protocol/cloud-auth';
import { SERVICE_SERVER, testDatabase } from '../postgres/postgres';
import type { TestDatabase } from '../postgres/postgres';

interface RecordedPerson {
  readonly session: string;
  readonly user: CloudUser;
}

/** Contents of `cloud-expected.json`. Times are ms since 1970. */
export interface CloudExpected {
  readonly recordedAt: number;
  readonly site: string;
  /** Feed as the first person sees it. */
  readonly changes: ChangesPage;
  readonly jwks: JSONWebKeySet;
  /** Tokens of the first person: from a voyage before the end of the recording, and from its end. */
  readonly edgeTokens: readonly { readonly token: string; readonly kid: string; readonly at: number }[];
  readonly shortToken: string;
  readonly people: {
    readonly ana: RecordedPerson & {
      readonly email: string;
      readonly password: string;
      readonly google: { readonly subject: string };
    };
    readonly ben: RecordedPerson;
    readonly eve: RecordedPerson;
    readonly dan: { readonly session: string; readonly uid: string };
    readonly guest: RecordedPerson;
    readonly fay: RecordedPerson & { readonly github: { readonly subject: string } };
  };
  readonly devices: Readonly<Record<'tablet' | 'revoked', { readonly id: string; readonly credential: string }>>;
  readonly boxToken: string;
  /** SHA-256. */
  readonly photograph: string;
  /** Started and still unused. */
  readonly pending: {
    readonly code: { readonly email: string; readonly verificationCode: string };
    readonly reset: { readonly email: string; readonly verificationCode: string };
    readonly link: { readonly email: string; readonly token: string };
    readonly customToken: string;
    readonly provider: { readonly query: string; readonly state: string };
    readonly ticket: { readonly ticket: string };
  };
}

export class RecordedCloud {
  readonly expected: CloudExpected;
  readonly #folder: string;

  constructor(name: string) {
    this.#folder = fileURLToPath(new URL(`../../fixtures/${name}/`, import.meta.url));
    this.expected = JSON.parse(readFileSync(path.join(this.#folder, 'cloud-expected.json'), 'utf8')) as CloudExpected;
  }

  /** Creates a database with all rows of the old one. */
  async database(): Promise<TestDatabase> {
    const database = await testDatabase(SERVICE_SERVER);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query(this.#unpacked('cloud.sql.gz'));
    } finally {
      await client.end();
    }
    return database;
  }

  /** Creates a `REEF_HOME` with the keys and photographs of the old one. */
  home(): string {
    const home = mkdtempSync(path.join(os.tmpdir(), 'reef-recorded-'));
    const { files } = JSON.parse(this.#unpacked('cloud-home.json.gz')) as { files: { path: string; base64: string }[] };
    for (const { path: place, base64 } of files) {
      const file = path.join(home, place);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, Buffer.from(base64, 'base64'), { mode: 0o600 });
    }
    return home;
  }

  #unpacked(name: string): string {
    return gunzipSync(readFileSync(path.join(this.#folder, name))).toString('utf8');
  }
}
