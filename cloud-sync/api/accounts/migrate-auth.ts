import type { Pool } from 'pg';

interface AuthMigration {
  readonly version: number;
  readonly sql: string;
}

/**
 * Schema `auth`. `user`, `session`, `account`, `verification` and `jwks` have the names that the library checks at
 * start; the others are ours. Sessions, single-use tokens and credentials are stored as hashes, but the signing keys
 * and the secret that encrypts them are here: treat a copy as a secret.
 */
const MIGRATIONS: readonly AuthMigration[] = [
  {
    version: 1,
    sql: `
      CREATE TABLE auth."user" (
        "id" text PRIMARY KEY,
        "name" text NOT NULL,
        "email" text NOT NULL UNIQUE,
        "emailVerified" boolean NOT NULL,
        "image" text,
        "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
        "updatedAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
      );
      CREATE TABLE auth."session" (
        "id" text PRIMARY KEY,
        "expiresAt" timestamptz NOT NULL,
        "token" text NOT NULL UNIQUE,
        "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
        "updatedAt" timestamptz NOT NULL,
        "ipAddress" text,
        "userAgent" text,
        "userId" text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE
      );
      CREATE INDEX "session_userId_idx" ON auth."session" ("userId");
      CREATE TABLE auth."account" (
        "id" text PRIMARY KEY,
        "accountId" text NOT NULL,
        "providerId" text NOT NULL,
        "userId" text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
        "accessToken" text,
        "refreshToken" text,
        "idToken" text,
        "accessTokenExpiresAt" timestamptz,
        "refreshTokenExpiresAt" timestamptz,
        "scope" text,
        "password" text,
        "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
        "updatedAt" timestamptz NOT NULL
      );
      CREATE INDEX "account_userId_idx" ON auth."account" ("userId");
      CREATE TABLE auth."verification" (
        "id" text PRIMARY KEY,
        "identifier" text NOT NULL,
        "value" text NOT NULL,
        "expiresAt" timestamptz NOT NULL,
        "createdAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP,
        "updatedAt" timestamptz NOT NULL DEFAULT CURRENT_TIMESTAMP
      );
      CREATE INDEX "verification_identifier_idx" ON auth."verification" ("identifier");
      CREATE TABLE auth."jwks" (
        "id" text PRIMARY KEY,
        "publicKey" text NOT NULL,
        "privateKey" text NOT NULL,
        "createdAt" timestamptz NOT NULL,
        "expiresAt" timestamptz,
        "alg" text,
        "crv" text
      );

      CREATE TABLE auth.secret (single boolean PRIMARY KEY CHECK (single), value text NOT NULL);

      -- What a person may, set by the server alone.
      CREATE TABLE auth.person (
        uid text PRIMARY KEY REFERENCES auth."user" ("id") ON DELETE CASCADE,
        staff boolean NOT NULL DEFAULT false,
        domains text[] NOT NULL DEFAULT '{}'
      );

      -- One row an address, kept so that codes can be counted. code_hash is null once the code was used.
      CREATE TABLE auth.login_code (
        email text PRIMARY KEY,
        code_hash text,
        attempts integer NOT NULL,
        expires_at timestamptz NOT NULL,
        window_from timestamptz NOT NULL,
        window_count integer NOT NULL
      );
      CREATE INDEX login_code_window ON auth.login_code (window_from);

      CREATE TABLE auth.custom_token (
        token_hash text PRIMARY KEY,
        uid text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX custom_token_expiry ON auth.custom_token (expires_at);

      -- One row a registration. device_id is what the cloud knows the tablet by: the id it names, unless that is another's.
      CREATE TABLE auth.device (
        credential_hash text PRIMARY KEY,
        device_id text NOT NULL,
        named_id text NOT NULL,
        name text NOT NULL,
        registered_by text NOT NULL REFERENCES auth."user" ("id") ON DELETE CASCADE,
        session_id text,
        created_at timestamptz NOT NULL,
        seen_at timestamptz,
        revoked_at timestamptz
      );
      CREATE INDEX device_by_id ON auth.device (device_id);
      CREATE INDEX device_by_named_id ON auth.device (named_id);
      CREATE INDEX device_by_person ON auth.device (registered_by);
    `,
  },
  {
    version: 2,
    sql: `
      -- Registrations of one and the same tablet, as whoever came later showed with the credential that it had.
      ALTER TABLE auth.device ADD COLUMN tablet text;
      UPDATE auth.device SET tablet = device_id;
      ALTER TABLE auth.device ALTER COLUMN tablet SET NOT NULL;
      CREATE INDEX device_by_tablet ON auth.device (tablet);
    `,
  },
  {
    version: 3,
    sql: `
      ALTER TABLE auth.person
        ADD admin boolean NOT NULL DEFAULT false,
        ADD is_expert boolean NOT NULL DEFAULT false,
        ADD verified boolean NOT NULL DEFAULT false,
        -- Cannot sign in any more; tablets and boxes hear of it.
        ADD disabled_at timestamptz,
        -- Signed in without an address; "email" in auth."user" is a stand-in that no mail reaches.
        ADD anonymous boolean NOT NULL DEFAULT false,
        -- The password was chosen by its owner, not made at random when the account was.
        ADD chose_password boolean NOT NULL DEFAULT false,
        ADD last_login_at timestamptz,
        ADD photo_sha256 text;

      -- Links that sign in, good once.
      CREATE TABLE auth.mail_link (
        token_hash text PRIMARY KEY,
        email text NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX mail_link_expiry ON auth.mail_link (expires_at);

      -- A sign-in at a provider that is under way; uid: who links it to their account.
      CREATE TABLE auth.provider_turn (
        state_hash text PRIMARY KEY,
        provider text NOT NULL,
        origin text NOT NULL,
        uid text REFERENCES auth."user" ("id") ON DELETE CASCADE,
        verifier text NOT NULL,
        nonce text NOT NULL,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX provider_turn_expiry ON auth.provider_turn (expires_at);
      CREATE UNIQUE INDEX account_of_provider ON auth."account" ("providerId", "accountId");

      -- What was done to whom by whom among roles, links and revocations.
      CREATE TABLE auth.audit (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at timestamptz NOT NULL,
        by_uid text,
        action text NOT NULL,
        about text NOT NULL,
        details jsonb NOT NULL DEFAULT '{}'
      );
      CREATE INDEX audit_about ON auth.audit (about, id);
    `,
  },
  {
    version: 4,
    sql: `
      -- Codes by mail: one row for each purpose and whom it is about, of which there is a keyed hash. nonce, of which the code is made, is
      -- null once the code was used.
      DROP TABLE auth.login_code;
      CREATE TABLE auth.code (
        purpose text NOT NULL,
        about text NOT NULL,
        nonce text,
        attempts integer NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (purpose, about)
      );
      CREATE INDEX code_expiry ON auth.code (expires_at);

      -- How often something was tried within a while; about: a keyed hash of an address, and of where from.
      CREATE TABLE auth.tries (
        what text NOT NULL,
        about text NOT NULL,
        count integer NOT NULL,
        window_from timestamptz NOT NULL,
        window_ends timestamptz NOT NULL,
        PRIMARY KEY (what, about)
      );
      CREATE INDEX tries_window ON auth.tries (window_ends);
    `,
  },
  {
    version: 5,
    sql: `
      -- Tokens for boxes that were made before this count for nothing aboard.
      ALTER TABLE auth.person ADD tokens_from timestamptz;
    `,
  },
  {
    version: 6,
    sql: `
      -- How often a person's sign-ins were ended, and a role was taken from them. Tokens for boxes say what it was when they were made: a
      -- time in seconds does not tell what came before the end from what came after it.
      ALTER TABLE auth.person
        ADD sign_ins_ended integer NOT NULL DEFAULT 0,
        ADD roles_taken integer NOT NULL DEFAULT 0,
        ADD roles_taken_at timestamptz;
      UPDATE auth.person SET sign_ins_ended = 1 WHERE tokens_from IS NOT NULL;

      -- Photographs that nobody shows of themselves any more, whose bytes are to be removed.
      CREATE TABLE auth.photo_gone (sha256 text PRIMARY KEY, at timestamptz NOT NULL);

      -- A code is longer where somebody guesses.
      ALTER TABLE auth.code ADD digits integer NOT NULL DEFAULT 6;
    `,
  },
];

/** Advisory lock number, the same in every process that migrates this schema. */
const LOCK = 4_207_001;

/**
 * Migrates schema `auth`, one transaction a step. Concurrent processes take turns.
 *
 * @throws Error if a newer version of the service wrote the schema
 */
export async function migrateAuth(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query('CREATE SCHEMA IF NOT EXISTS auth');
    await client.query('CREATE TABLE IF NOT EXISTS auth.schema_version (version integer PRIMARY KEY)');
    const { rows } = await client.query<{ version: number | null }>(
      'SELECT max(version) AS version FROM auth.schema_version',
    );
    const present = rows[0]?.version ?? 0;
    const newest = MIGRATIONS.at(-1)?.version ?? 0;
    if (present > newest)
      throw new Error(
        `The accounts were made by a newer version of the cloud service (schema ${present}; this one knows ${newest}).`,
      );
    for (const { version, sql } of MIGRATIONS.filter((migration) => migration.version > present)) {
      await client.query('BEGIN');
      await client.query(sql);
      await client.query('INSERT INTO auth.schema_version (version) VALUES ($1)', [version]);
      await client.query('COMMIT');
    }
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
    client.release();
  } catch (error) {
    // Closing the connection also drops its lock and transaction.
    client.release(true);
    throw error;
  }
}
