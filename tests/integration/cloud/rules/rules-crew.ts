import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Submitter } from '../../../../cloud-sync/api/intake/cloud-intake';
import type { PersonId } from '../../../../src/domain/ids';
import type { Op } from '../../../../src/domain/op/op';
import { ReceiptSigner } from '../../../../src/server/ops/receipt-signer';
import type { Seeded } from '../../../support/seed';
import type { TestCloud } from '../../../support/servers/cloud';
import type { TestDeviceKey } from '../../../support/servers/device-keys';
import { newDeviceKey } from '../../../support/servers/device-keys';
import { newId, photograph, sha256 } from '../../../support/servers/edge-client';
import type { RulesModel, Sender } from './rules-model';
import type { Cast, FuzzPerson, FuzzTablet } from './rules-world';

interface Session {
  readonly uid: PersonId;
  readonly token: string;
  key: TestDeviceKey | null;
}

interface Tablet {
  readonly device: string;
  readonly credential: string;
  readonly session: Session;
  readonly tablet: string;
  person: string | null;
  isRevoked: boolean;
}

const ACCOUNTS = 5;
const PENDING = 3;

/**
 * People of a crew at a real cloud: signed in, with tablets and keys, as the model knows them. Changes go through the
 * services behind the routes, since the routes limit how many a minute one address may ask for.
 */
export class RulesCrew implements Cast {
  readonly people: FuzzPerson[] = [];
  readonly #tablets: Tablet[] = [];
  readonly boxes: string[] = [];
  readonly photographs: { sha256: string; bytes: number }[] = [];
  staff = '';
  readonly #cloud: TestCloud;
  readonly #model: RulesModel;
  readonly #random: Seeded;
  readonly #sessions: Session[] = [];
  readonly #callers = new Map<string, Submitter>();
  readonly #signers = new Map<string, ReceiptSigner>();
  /** Its receipts are shown for none that a box gave. */
  #stranger: ReceiptSigner | undefined;
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'reef-rules-'));

  private constructor(cloud: TestCloud, model: RulesModel, random: Seeded) {
    this.#cloud = cloud;
    this.#model = model;
    this.#random = random;
  }

  static async gather(cloud: TestCloud, model: RulesModel, random: Seeded): Promise<RulesCrew> {
    const crew = new RulesCrew(cloud, model, random);
    await crew.#gather();
    return crew;
  }

  get tablets(): FuzzTablet[] {
    return this.#tablets.filter(({ isRevoked }) => !isRevoked).map(({ device, person }) => ({ device, person }));
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sender as the routes hand it to the intake. */
  submitterOf(sender: Sender): Submitter {
    switch (sender.kind) {
      case 'box':
        return { roles: new Set(['anyone', 'box']), person: null, deviceId: null, node: sender.box };
      case 'tablet':
        return this.#callerOf(callerKey(sender));
      default:
        return this.#callerOf(sender.person);
    }
  }

  /** Receipt of a box for an operation; of a stranger's key if it is not to count. */
  receiptOf(node: string, op: Op, isGenuine = true): object {
    const signer = isGenuine ? this.#signers.get(node) : this.#stranger;
    if (signer === undefined) throw new Error(`no box ${node}`);
    return signer.signReceipt({
      v: 1,
      stage: 'edge',
      nodeId: node as never,
      storeEpoch: 'EpochOfTheBox001',
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      accepted: true,
      seq: 1,
      storedAt: op.madeAt,
      ...(op.kind === 'image' ? { blob: { sha256: op.body['sha256'], bytes: op.body['bytes'] } } : {}),
    } as never);
  }

  /** Certifies a key, registers or revokes a tablet. @returns the operations that the model accepts now */
  async change(): Promise<readonly string[]> {
    const kind = this.#random.below(8);
    const tablets = this.#tablets.filter(({ isRevoked }) => !isRevoked);
    if (kind === 0 && tablets.length > 2) return this.#revoke(this.#random.pick(tablets));
    if (kind < 3) return this.#register(this.#random.pick(this.#sessions));
    const { uid } = this.#random.pick(this.#sessions);
    const session = await this.#signIn(uid);
    const keys = this.people.find((person) => person.uid === uid)?.keys ?? [];
    // A key with which work was signed before, or a new one.
    const isOld = this.#random.below(3) > 0;
    const key = isOld ? this.#random.pick(keys) : newDeviceKey();
    if (!isOld) keys.push(key);
    return this.#certify(session, key);
  }

  async #gather(): Promise<void> {
    const { context } = this.#cloud.cloud;
    for (let n = 0; n < ACCOUNTS; n++) {
      const person = await this.#account(n === ACCOUNTS - 1);
      const roles = n === 0 ? ['is_expert', 'verified'] : n === 1 ? ['admin'] : [];
      for (const role of roles)
        await context.database.pool.query(`UPDATE auth.person SET ${role} = true WHERE uid = $1`, [person.uid]);
      this.#model.addAccount(
        person.uid,
        roles.map((role) => (role === 'is_expert' ? 'isExpert' : role)),
      );
      this.people.push({
        uid: person.uid,
        hasAccount: true,
        keys: [newDeviceKey(), newDeviceKey()],
        devices: [newId()],
      });
      const session = await this.#signIn(person.uid);
      this.#callers.set(person.uid, await this.#resolve(session.token));
    }
    for (let n = 0; n < PENDING; n++)
      this.people.push({ uid: newId(), hasAccount: false, keys: [newDeviceKey()], devices: [newId(), newId()] });
    await this.#certifyPending();
    this.staff = (await this.#account(false)).uid;
    this.#model.addAccount(this.staff, []);
    this.#callers.set(this.staff, {
      roles: new Set(['anyone', 'person', 'staff']),
      person: this.staff as PersonId,
      deviceId: null,
      node: null,
    });
    for (const session of this.#sessions.slice(0, 4)) await this.#register(session);
    for (const session of this.#sessions.slice(0, 2))
      await this.#certify(session, this.people.find(({ uid }) => uid === session.uid)!.keys[0]!);
    for (let n = 0; n < 3; n++) {
      const node = newId();
      const signer = await ReceiptSigner.open(path.join(this.#folder, `${node}.json`));
      await context.boxReceiptVerifier.addKeys(node, signer.publicKeys);
      this.#signers.set(node, signer);
      this.boxes.push(node);
    }
    this.#stranger = await ReceiptSigner.open(path.join(this.#folder, 'stranger.json'));
    for (const bytes of [600, 700]) {
      const content = photograph(bytes);
      await this.#cloud.upload(content);
      this.photographs.push({ sha256: sha256(content), bytes });
    }
  }

  /** A statement of their box certifies the key of a person without an account. */
  async #certifyPending(): Promise<void> {
    const { uid, keys } = this.people.find(({ hasAccount }) => !hasAccount)!;
    await this.#cloud.cloud.context.database.pool.query(
      'INSERT INTO auth.device_key (uid, key, certified_at) VALUES ($1, $2, now())',
      [uid, keys[0]!.x],
    );
    this.#model.certify(uid, keys[0]!.x);
  }

  async #account(anonymous: boolean): Promise<{ readonly uid: PersonId }> {
    const { accountCreation } = this.#cloud.cloud.context.accounts;
    const email = `${newId().toLowerCase()}@example.org`;
    const person = await accountCreation.create({ email, isEmailVerified: true, anonymous, domains: [] });
    if (person === undefined) throw new Error('the address of a new person is in use');
    return person;
  }

  async #signIn(uid: PersonId): Promise<Session> {
    const { sessions } = this.#cloud.cloud.context.accounts;
    const { session: token } = await sessions.exchange(await sessions.issueCustomToken(uid));
    const session: Session = { uid, token, key: null };
    this.#sessions.push(session);
    return session;
  }

  async #certify(session: Session, key: TestDeviceKey): Promise<readonly string[]> {
    const { accounts, intake } = this.#cloud.cloud.context;
    const found = await accounts.sessions.find(session.token);
    if (found === undefined) throw new Error('a session ended');
    try {
      await accounts.deviceKeys.certify(found, key.x);
    } catch {
      // A revoked key, or a session of another one.
      return [];
    }
    session.key = key;
    await intake.onDeviceKnown(session.uid);
    return this.#model.certify(session.uid, key.x);
  }

  /** Registers a new tablet, or one that another person has registered before. */
  async #register(session: Session): Promise<readonly string[]> {
    const { accounts, intake } = this.#cloud.cloud.context;
    const shared = this.#tablets.filter(({ isRevoked }) => !isRevoked);
    const before = shared.length > 0 && this.#random.below(3) === 0 ? this.#random.pick(shared) : undefined;
    const found = await accounts.sessions.find(session.token);
    if (found === undefined) throw new Error('a session ended');
    const id = before?.device ?? newId();
    const credential = await accounts.devices.register(found, { id, name: 'Tablet' }, before?.credential);
    const caller = await this.#resolve(credential);
    const device = caller.deviceId ?? '';
    const tablet = before?.tablet ?? device;
    this.#callers.set(callerKey({ device, person: session.uid }), caller);
    this.#tablets.push({ device, person: session.uid, credential, session, tablet, isRevoked: false });
    this.people.find(({ uid }) => uid === session.uid)?.devices.push(device);
    await intake.onDeviceKnown(session.uid);
    return this.#model.register(session.uid, device, tablet);
  }

  /** A person revokes a tablet from another device: its keys, and the sessions on it, end. */
  async #revoke({ device, session: { uid } }: Tablet): Promise<readonly string[]> {
    const { devices, deviceKeys, callers, sessions } = this.#cloud.cloud.context.accounts;
    const asking = await this.#signIn(uid);
    await devices.revoke(device, uid, (await sessions.find(asking.token))?.id ?? '');
    await deviceKeys.revokeTablet(device, uid);
    callers.clearCache();
    for (const tablet of this.#tablets.filter((one) => one.device === device && one.session.uid === uid)) {
      tablet.isRevoked = true;
      if (tablet.session.key !== null) this.#model.revokeKey(uid, tablet.session.key.x);
    }
    this.#model.unregister(uid, device);
    await this.#refresh(uid, asking);
    return [];
  }

  /** Forgets the ended sessions of a person; on other tablets of them nobody is signed in then. */
  async #refresh(uid: PersonId, asking: Session): Promise<void> {
    const { sessions } = this.#cloud.cloud.context.accounts;
    for (const session of this.#sessions.filter((one) => one.uid === uid))
      if ((await sessions.find(session.token)) === undefined) this.#sessions.splice(this.#sessions.indexOf(session), 1);
    this.#callers.set(uid, await this.#resolve(asking.token));
    for (const tablet of this.#tablets.filter((one) => !one.isRevoked && one.session.uid === uid)) {
      const caller = await this.#resolve(tablet.credential);
      tablet.person = caller.person;
      this.#callers.set(callerKey(tablet), caller);
    }
  }

  #resolve(token: string): Promise<Submitter> {
    return this.#cloud.cloud.context.callers.callerOf({ headers: { authorization: `Bearer ${token}` } });
  }

  #callerOf(id: string): Submitter {
    const caller = this.#callers.get(id);
    if (caller === undefined) throw new Error(`no caller ${id}`);
    return caller;
  }
}

/** Key of the caller of a tablet: one device may have credentials of several sessions. */
function callerKey({ device, person }: FuzzTablet): string {
  return `${device} ${person ?? '-'}`;
}
