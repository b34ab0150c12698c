/** Real cloud services in this process, on random free ports of loopback, each with its own database and home. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { Cloud, CloudHooks } from '../../../cloud-sync/api/app';
import { buildCloud } from '../../../cloud-sync/api/app';
import type { CallerSource } from '../../../cloud-sync/api/access/cloud-callers';
import type { CloudSettings } from '../../../cloud-sync/api/settings';
import { readCloudSettings } from '../../../cloud-sync/api/settings';
import { isObject } from '../../../src/domain/json';
import type { CloudOpResult, UploadReply } from '../../../src/protocol/cloud-http';
import type { ChangesPage } from '../../../src/protocol/changes';
import { SERVICE_SERVER, reusedDatabase } from '../postgres/postgres';
import { sha256 } from './edge-client';

export interface CloudOptions {
  /** `REEF_HOME`; by default a new folder that `close` removes. */
  readonly home?: string;
  /** Database; by default a new one. */
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hooks?: CloudHooks;
}

/** Answer: its status and JSON. */
export interface CloudReply<Body = Record<string, unknown>> {
  readonly status: number;
  readonly body: Body;
}

/** Bearer token of a staff member, in every test cloud. */
export const STAFF_TOKEN = 'staff-token-of-the-tests';
/** Bearer token of a tablet, likewise. */
export const DEVICE_TOKEN = 'device-token-of-the-tests';
export const DEVICE_OF_TOKEN = 'DeviceOfTheTests';

/** Passwords of tests are known; with the usual cost a hash took a quarter of a second. */
const CHEAP_PASSWORDS = { logN: 4, r: 8, p: 1 } as const;

const known: CallerSource = async (token) => {
  if (token === STAFF_TOKEN)
    return {
      roles: new Set(['anyone', 'person', 'staff']),
      person: 'StaffPerson000001' as never,
      deviceId: null,
      node: null,
    };
  if (token === DEVICE_TOKEN)
    return { roles: new Set(['anyone', 'device']), person: null, deviceId: DEVICE_OF_TOKEN, node: null };
  return undefined;
};

/** Running cloud service. */
export class TestCloud {
  #cloud: Cloud | undefined;
  #url = '';
  readonly #tokens = new Map<string, Promise<string>>();
  #port = 0;

  readonly #options: CloudOptions;
  readonly #undo: readonly (() => void | Promise<void>)[];

  private constructor(
    readonly home: string,
    readonly boxToken: string,
    readonly databaseUrl: string,
    options: CloudOptions,
    undo: readonly (() => void | Promise<void>)[],
  ) {
    this.#options = options;
    this.#undo = undo;
  }

  static async start(options: CloudOptions = {}): Promise<TestCloud> {
    const undo: (() => void | Promise<void>)[] = [];
    const home = options.home ?? mkdtempSync(path.join(os.tmpdir(), 'reef-cloud-'));
    if (options.home === undefined) undo.push(() => rmSync(home, { recursive: true, force: true }));
    let { databaseUrl } = options;
    if (databaseUrl === undefined) {
      const database = await reusedDatabase(SERVICE_SERVER);
      databaseUrl = database.url;
      undo.push(() => database.close());
    }
    const cloud = new TestCloud(home, randomBytes(24).toString('base64url'), databaseUrl, options, undo);
    await cloud.#start();
    return cloud;
  }

  get url(): string {
    return this.#url;
  }

  get cloud(): Cloud {
    if (this.#cloud === undefined) throw new Error('the cloud does not run');
    return this.#cloud;
  }

  get settings(): CloudSettings {
    return readCloudSettings({
      REEF_HOME: this.home,
      CLOUD_PORT: String(this.#port),
      DATABASE_URL: this.databaseUrl,
      BRIDGE_TOKEN: this.boxToken,
      MIN_FREE_GB: '0',
      ...this.#options.env,
    });
  }

  /** Folder of outgoing mails. */
  get outbox(): string {
    return this.settings.outbox;
  }

  /** Ends the service and restarts it with the same home, database and port. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  /** Ends the service; home and database stay. */
  async stop(): Promise<void> {
    await this.#cloud?.close();
    this.#cloud = undefined;
  }

  /** Ends the service and removes what it made. */
  async close(): Promise<void> {
    await this.stop();
    for (const step of [...this.#undo].reverse()) await step();
  }

  /** @param token bearer; by default that of the box that the request names. null: none */
  async ask<Body = Record<string, unknown>>(
    method: string,
    place: string,
    body?: unknown,
    given?: string | null,
  ): Promise<CloudReply<Body>> {
    const token = given === undefined ? await this.tokenOf(nodeOf(place, body)) : given;
    const answer = await fetch(new URL(place, this.#url), {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Body };
  }

  /** Token of a box: `BRIDGE_TOKEN` for the first one, and without a name; one of the fleet's for each further box. */
  tokenOf(node: string | undefined): Promise<string> {
    if (node === undefined) return Promise.resolve(this.boxToken);
    const known = this.#tokens.get(node);
    if (known !== undefined) return known;
    const token =
      this.#tokens.size === 0
        ? Promise.resolve(this.boxToken)
        : this.post<{ token: string }>('/api/fleet/boxes', { name: 'Reef Box' }, STAFF_TOKEN).then(
            ({ body }) => body.token,
          );
    this.#tokens.set(node, token);
    return token;
  }

  get<Body = Record<string, unknown>>(place: string, token?: string | null): Promise<CloudReply<Body>> {
    return this.ask<Body>('GET', place, undefined, token);
  }

  post<Body = Record<string, unknown>>(place: string, body: unknown, token?: string | null): Promise<CloudReply<Body>> {
    return this.ask<Body>('POST', place, body, token);
  }

  /** Posts operations and returns the outcome of each. */
  async ops(ops: readonly unknown[], node?: string, token?: string): Promise<readonly CloudOpResult[]> {
    const { status, body } = await this.post<{ results: CloudOpResult[] }>(
      '/api/ops',
      { ...(node === undefined ? {} : { node }), ops },
      token,
    );
    if (status !== 200) throw new Error(`POST /api/ops: ${status} ${JSON.stringify(body)}`);
    return body.results;
  }

  async changes(since = 0, token?: string): Promise<ChangesPage> {
    const { status, body } = await this.get<ChangesPage & Record<string, unknown>>(
      `/api/changes?since=${since}`,
      token,
    );
    if (status !== 200) throw new Error(`GET /api/changes: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** Uploads the missing bytes in one request. */
  async upload(
    content: Uint8Array,
    token: string = this.boxToken,
  ): Promise<{ readonly ok: boolean; readonly offset: number }> {
    const { body, status } = await this.post<UploadReply & Record<string, unknown>>(
      '/api/uploads',
      { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' },
      token,
    );
    if (status !== 200) throw new Error(`POST /api/uploads: ${status} ${JSON.stringify(body)}`);
    if (body.complete) return { ok: true, offset: body.offset };
    const answer = await fetch(new URL(`/api/uploads/${body.uploadId}`, this.#url), {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/partial-upload',
        'upload-offset': String(body.offset),
      },
      body: content.slice(body.offset),
    });
    return (await answer.json()) as { ok: boolean; offset: number };
  }

  async #start(): Promise<void> {
    this.#cloud = await buildCloud(this.settings, {
      log: pino({ level: process.env['CLOUD_LOG'] ?? 'silent' }),
      callers: [known],
      passwordCost: CHEAP_PASSWORDS,
      ...this.#options.hooks,
    });
    this.#url = await this.#cloud.listen();
    this.#port = Number(new URL(this.#url).port);
  }
}

/** Box that a request names. */
function nodeOf(place: string, body: unknown): string | undefined {
  const named = isObject(body) ? body['node'] : undefined;
  return typeof named === 'string' ? named : (new URL(place, 'http://cloud').searchParams.get('node') ?? undefined);
}

/** See {@link TestCloud.start}. */
export function startCloud(options: CloudOptions = {}): Promise<TestCloud> {
  return TestCloud.start(options);
}
