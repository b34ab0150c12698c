import { Emitter } from '../../../src/base/emitter';
import { canonicalJson } from '../../../src/domain/canonical';
import { ReefError } from '../../../src/domain/errors';
import { splitOpId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { LIMITS } from '../../../src/domain/limits';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { ChangeEntry, ChangesPage } from '../../../src/protocol/changes';
import type { Receipt } from '../../../src/protocol/receipt';
import { blobOf } from '../../../src/protocol/receipt';
import type {
  AppendFacts,
  AppendStore,
  DocumentRef,
  SubmittedBy,
  ChangeScope,
  RecordedBlob,
  StoreIdentity,
  StoredDocument,
} from '../../../src/server/ops/append-store';
import type { AcceptedOp, DocumentRow } from '../../../src/server/ops/document-row';
import { DocumentFold, documentRow } from '../../../src/server/ops/document-fold';
import type { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { Subject } from '../../../cloud-sync/api/access/grants';
import type { HeldOp, HeldPage, HeldStore, ReleaseOptions, Writer } from '../../../cloud-sync/api/intake/admission';
import { OutdatedDecisionError } from '../../../cloud-sync/api/store/outdated-decision';
import type { ParkedOp, Parking } from '../../../cloud-sync/api/intake/parking';
import type { MemoryContent, Row, StoredOp } from './memory-content';
import { push } from './memory-content';
import { accessGrantees, topicOf } from '../../../src/domain/policy/topic-policy';

const NOBODY: SubmittedBy = { device: null, node: null };

export interface MemoryStoreOptions {
  readonly content: MemoryContent;
  readonly signer: ReceiptSigner;
  readonly now?: () => Date;
  /** Called before and after each commit; never settles if the program ends there. */
  readonly step?: () => Promise<void>;
}

/**
 * In-memory append store that passes the same tests as those of the edge and the cloud. It also has the cloud's reader
 * scopes and parked records; a transaction is one step that happens or does not.
 */
export class MemoryAppendStore implements AppendStore, Parking, HeldStore {
  readonly identity: StoreIdentity;
  readonly content: MemoryContent;
  readonly #signer: ReceiptSigner;
  readonly #now: () => Date;
  readonly #step: () => Promise<void>;
  readonly #committed = new Emitter<readonly ChangeEntry[]>();
  readonly onCommit = this.#committed.subscribe;

  constructor({ content, signer, now = () => new Date(), step = () => Promise.resolve() }: MemoryStoreOptions) {
    this.content = content;
    this.identity = content.identity;
    this.#signer = signer;
    this.#now = now;
    this.#step = step;
  }

  async knownReceipt(op: Op): Promise<Receipt | undefined> {
    return this.#known(op, canonicalJson(op as unknown as JsonObject));
  }

  async append(op: Op, facts: AppendFacts): Promise<Receipt> {
    const text = canonicalJson(op as unknown as JsonObject);
    await this.#step();
    const { receipt, added } = this.#commit(op, text, facts);
    await this.#step();
    this.#tell(added);
    return receipt;
  }

  async addReceipts(receipts: readonly Receipt[]): Promise<number> {
    await this.#step();
    const { content } = this;
    const added: ChangeEntry[] = [];
    for (const receipt of receipts) {
      if (receipt.nodeId === this.identity.nodeId && receipt.storeEpoch === this.identity.storeEpoch) continue;
      const text = JSON.stringify(receipt);
      if (content.feed.some((row) => !row.own && row.opId === receipt.opId && row.receipt === text)) continue;
      const topic =
        receipt.kind === 'survey' ? receipt.docId : receipt.kind === 'profile' ? `profile:${receipt.docId}` : null;
      content.feed.push({
        seq: (content.lastSeq += 1),
        receipt: text,
        opId: receipt.opId,
        own: false,
        topic,
        profile: receipt.kind === 'profile' ? receipt.docId : null,
        brought: NOBODY,
      });
      added.push({ seq: content.lastSeq, receipt });
    }
    await this.#step();
    this.#tell(added);
    return added.length;
  }

  async changes({ since, limit, scope }: { since: number; limit: number; scope?: ChangeScope }): Promise<ChangesPage> {
    const most = Math.max(1, Math.min(limit, LIMITS.changesMax));
    const entries: ChangeEntry[] = [];
    let bytes = 0;
    for (const row of this.content.feed) {
      if (row.seq <= since || entries.length >= most) continue;
      const seen =
        scope === undefined || scope.everything === true
          ? row.for === undefined
            ? 'whole'
            : 'not'
          : this.identity.stage === 'edge'
            ? this.#seenAboard(row, scope)
            : this.#seenAshore(row, scope);
      if (seen === 'not') continue;
      const stored = row.own ? this.content.ops.get(row.opId) : undefined;
      bytes += row.receipt.length + (seen === 'whole' ? (stored?.text.length ?? 0) : 0);
      if (bytes > LIMITS.changesBytesMax && entries.length > 0) break;
      entries.push(entryOf(row, seen === 'whole' ? stored : undefined));
    }
    return { storeEpoch: this.identity.storeEpoch, entries, next: entries.at(-1)?.seq ?? since };
  }

  async document(kind: OpKind, id: string): Promise<StoredDocument | undefined> {
    const row = this.#row(kind, id);
    return row === undefined ? undefined : this.#stored(row);
  }

  async recordedBlobs(imageId: string): Promise<readonly RecordedBlob[]> {
    const named = new Map<string, RecordedBlob>();
    for (const { op, accepted } of this.content.byDocument.get(`image/${imageId}`) ?? []) {
      const blob = blobOf(op);
      if (accepted && blob !== undefined) named.set(blob.sha256, blob);
    }
    return [...named.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  }

  async rebuild(): Promise<number> {
    // Computes nothing ahead.
    return [...this.content.byDocument.values()].filter((stored) => stored.some(({ accepted }) => accepted)).length;
  }

  async close(): Promise<void> {
    this.#committed.clear();
  }

  async park(parked: ParkedOp): Promise<void> {
    await this.#step();
    const there = this.content.parked.get(parked.op.opId);
    if (there !== undefined && parked.submittedBy.vouched === true)
      this.content.parked.set(parked.op.opId, {
        ...there,
        submittedBy: { ...there.submittedBy, node: there.submittedBy.node ?? parked.submittedBy.node, vouched: true },
      });
    if (
      there !== undefined &&
      canonicalJson(there.op as unknown as JsonObject) !== canonicalJson(parked.op as unknown as JsonObject)
    )
      throw otherOp();
    if (there === undefined) this.content.parked.set(parked.op.opId, parked);
    await this.#step();
  }

  async findParked(opId: string): Promise<ParkedOp | undefined> {
    return this.content.parked.get(opId);
  }

  async listParkedFor(sha256: string): Promise<readonly ParkedOp[]> {
    return [...this.content.parked.values()].filter(({ needs }) => needs.some((one) => one === sha256));
  }

  async listParked({ after = '', limit = 100 }: { after?: string; limit?: number }): Promise<readonly ParkedOp[]> {
    const all = [...this.content.parked.values()].filter(({ op }) => op.opId > after);
    return all.sort((a, b) => (a.op.opId < b.op.opId ? -1 : 1)).slice(0, limit);
  }

  async unpark(opId: string): Promise<void> {
    this.content.parked.delete(opId);
  }

  async isQuarantined(kind: OpKind, docId: string): Promise<boolean> {
    return (this.content.byDocument.get(`${kind}/${docId}`) ?? []).some(({ accepted }) => !accepted);
  }

  async hasGrant(subject: Subject, topic: string): Promise<boolean> {
    return this.content.grants.has(`${subject} ${topic}`);
  }

  async hasWritten(
    { tablet, key }: Writer,
    person: string | null,
    topic: string,
    analysis: string | null,
  ): Promise<boolean> {
    return [...this.content.ops.values()].some(
      ({ op, by, accepted }) =>
        accepted &&
        topicOf(op) === topic &&
        splitOpId(op.opId).deviceId === tablet &&
        by === person &&
        (op.sig === undefined || op.sig.key === key) &&
        (op.kind !== 'analysis' || op.docId === analysis),
    );
  }

  async findHeld(opId: string): Promise<HeldOp | undefined> {
    return this.content.held.get(opId);
  }

  async listHeldFor(waitsFor: string): Promise<HeldPage> {
    return { items: [...this.content.held.values()].filter((held) => held.waitsFor === waitsFor), next: null };
  }

  async listHeld(opId: string, limit: number): Promise<readonly HeldOp[]> {
    const all = [...this.content.held.values()].filter(({ op }) => op.opId > opId);
    return all.sort((a, b) => (a.op.opId < b.op.opId ? -1 : 1)).slice(0, limit);
  }

  async updateHeld(opId: string, waitsFor: string, brought: SubmittedBy): Promise<void> {
    const held = this.content.held.get(opId);
    await this.#step();
    if (held !== undefined) this.content.held.set(opId, { ...held, waitsFor, submittedBy: brought });
  }

  async release(opId: string, { sees, box, ceilings = 'ignore', absent }: ReleaseOptions = {}): Promise<Receipt> {
    const { content } = this;
    await this.#step();
    const stored = content.ops.get(opId);
    if (stored === undefined) throw new ReefError('not-found');
    const before = JSON.parse(stored.receipt) as Receipt;
    if (stored.accepted) return before;
    this.#checkAbsent(absent);
    const { op, by, brought } = stored;
    const { sig: _sig, kid: _kid, reason: _reason, ...rest } = before;
    const reason = this.#ceilingProblem(op, { by, roles: stored.roles, ceilings });
    const accepted = reason === undefined;
    const receipt = this.#signer.signReceipt({
      ...rest,
      accepted,
      ...(reason === undefined ? {} : { reason }),
      seq: content.lastSeq + 1,
      storedAt: this.#now().toISOString(),
    });
    const again: StoredOp = {
      ...stored,
      accepted,
      receipt: JSON.stringify(receipt),
      brought: { ...brought, node: brought.node ?? content.held.get(opId)?.submittedBy.node ?? null },
    };
    content.lastSeq += 1;
    content.ops.set(opId, again);
    const document = content.byDocument.get(`${op.kind}/${op.docId}`) ?? [];
    document.splice(document.indexOf(stored), 1, again);
    content.held.delete(opId);
    content.feed.push({
      seq: content.lastSeq,
      receipt: again.receipt,
      opId,
      own: true,
      topic: accepted ? topicOf(op) : null,
      profile: op.kind === 'profile' ? op.docId : null,
      brought: again.brought,
      ...audienceOf({ op, by: op.by ?? by, accepted, sees }),
    });
    const entry = entryOf({ seq: content.lastSeq, receipt: again.receipt }, again);
    if (accepted && this.identity.stage === 'cloud')
      this.#grant(
        op,
        sees ?? accessGrantees(op, { by: op.by ?? by, vouched: true, byStaff: true }),
        box === undefined ? brought.node : box,
        content.lastSeq,
      );
    await this.#step();
    this.#tell([entry]);
    return receipt;
  }

  #known(op: Op, text: string): Receipt | undefined {
    const stored = this.content.ops.get(op.opId);
    if (stored === undefined) return undefined;
    if (stored.text !== text) throw otherOp();
    return JSON.parse(stored.receipt) as Receipt;
  }

  #commit(op: Op, text: string, facts: AppendFacts): { receipt: Receipt; added: ChangeEntry[] } {
    const { content } = this;
    const known = this.#known(op, text);
    if (known !== undefined) {
      // A box that submits a known operation knows its survey too.
      if (known.accepted && this.identity.stage === 'cloud' && this.#opensTopic(op))
        this.#grant(op, [], facts.brought?.node ?? null, content.lastSeq + 1);
      return { receipt: known, added: [] };
    }
    if (facts.quarantine === undefined) this.#checkAbsent(facts.absent);
    const reason = facts.quarantine ?? this.#ceilingProblem(op, facts);
    const accepted = reason === undefined;
    const receipt = this.#signer.signReceipt({
      v: 1,
      ...this.identity,
      opId: op.opId,
      kind: op.kind,
      docId: op.docId,
      sha256: op.sha256,
      ...(facts.blob === undefined ? {} : { blob: { sha256: facts.blob.sha256, bytes: facts.blob.bytes } }),
      ...(facts.by === null ? {} : { by: facts.by }),
      accepted,
      ...(reason === undefined ? {} : { reason }),
      seq: content.lastSeq + 1,
      storedAt: this.#now().toISOString(),
    });
    const brought = facts.brought ?? NOBODY;
    const stored: StoredOp = {
      op: JSON.parse(JSON.stringify(op)) as Op,
      text,
      by: facts.by,
      accepted,
      receipt: JSON.stringify(receipt),
      brought,
      roles: facts.roles ?? [],
    };
    content.lastSeq += 1;
    content.ops.set(op.opId, stored);
    push(content.byDocument, `${op.kind}/${op.docId}`, stored);
    content.parked.delete(op.opId);
    if (!accepted && facts.waitsFor !== undefined)
      content.held.set(op.opId, { op: stored.op, by: facts.by, waitsFor: facts.waitsFor, submittedBy: brought });
    content.feed.push({
      seq: content.lastSeq,
      receipt: stored.receipt,
      opId: op.opId,
      own: true,
      topic: accepted ? topicOf(op) : null,
      profile: op.kind === 'profile' ? op.docId : null,
      brought,
      ...audienceOf({ ...facts, op, by: op.by ?? facts.by, accepted }),
    });
    const entry = entryOf({ seq: content.lastSeq, receipt: stored.receipt }, stored);
    if (accepted && this.identity.stage === 'cloud')
      this.#grant(
        op,
        facts.sees ?? accessGrantees(op, { by: op.by ?? facts.by, vouched: true, byStaff: true }),
        facts.box === undefined ? brought.node : facts.box,
        content.lastSeq,
      );
    return { receipt, added: [entry] };
  }

  #checkAbsent(absent: readonly DocumentRef[] = []): void {
    if (absent.some(({ kind, docId }) => this.#accepted(kind, docId).length > 0)) throw new OutdatedDecisionError();
  }

  /** False if a box without access to its topic brought an operation. */
  #opensTopic(op: Op): boolean {
    const node = this.content.ops.get(op.opId)?.brought.node ?? null;
    return node === null || this.content.grants.has(`node:${node} ${topicOf(op) ?? ''}`);
  }

  /** Grants author, owner and submitting box access to a topic from now on, including its earlier entries. */
  #grant(op: Op, sees: readonly string[], box: string | null, start: number): void {
    const { content } = this;
    const topic = topicOf(op);
    if (topic === null) return;
    const subjects = new Set(sees.map((person) => `person:${person}`));
    if (box !== null && op.kind !== 'analysis') subjects.add(`node:${box}`);
    for (const subject of [...subjects].sort()) {
      const key = `${subject} ${topic}`;
      if (content.grants.has(key)) continue;
      content.grants.set(key, start - 1);
      for (const row of content.feed.slice()) {
        if (
          row.topic !== topic ||
          row.seq >= start ||
          row.for !== undefined ||
          !row.own ||
          `node:${String(row.brought.node)}` === subject
        )
          continue;
        content.feed.push({ ...row, seq: (content.lastSeq += 1), for: subject });
      }
    }
  }

  #seenAboard(row: Row, { person, deviceId }: ChangeScope): 'whole' | 'not' {
    return row.profile === null || row.profile === person || splitOpId(row.opId).deviceId === deviceId
      ? 'whole'
      : 'not';
  }

  #seenAshore(row: Row, { person, deviceId, node = null }: ChangeScope): 'whole' | 'receipt' | 'not' {
    const subjects = [
      person === null ? null : `person:${person}`,
      deviceId === null ? null : `device:${deviceId}`,
      node === null ? null : `node:${node}`,
    ];
    if (row.for !== undefined) return subjects.includes(row.for) ? 'whole' : 'not';
    if (row.subject !== undefined && subjects.includes(row.subject)) return 'whole';
    const isOnDevice = deviceId !== null && splitOpId(row.opId).deviceId === deviceId;
    // Work that others submitted in the device's name comes as a receipt.
    if (isOnDevice && row.brought.device === deviceId) return 'whole';
    const granted = subjects.some(
      (subject) =>
        subject !== null &&
        row.topic !== null &&
        row.seq > (this.content.grants.get(`${subject} ${row.topic}`) ?? Number.POSITIVE_INFINITY),
    );
    if (granted && (node === null || row.brought.node !== node)) return 'whole';
    if (
      isOnDevice ||
      (row.own &&
        ((deviceId !== null && row.brought.device === deviceId) || (node !== null && row.brought.node === node)))
    )
      return 'receipt';
    return granted ? 'receipt' : 'not';
  }

  #ceilingProblem(op: Op, { by, roles = [], ceilings = 'keep' }: AppendFacts): string | undefined {
    return DocumentFold.of(op.kind, op.docId, this.#accepted(op.kind, op.docId)).add({ op, by, roles }, ceilings);
  }

  #row(kind: OpKind, id: string): DocumentRow | undefined {
    const accepted = this.#accepted(kind, id);
    return accepted.length === 0 ? undefined : documentRow(kind, id, accepted);
  }

  #accepted(kind: OpKind, id: string): AcceptedOp[] {
    const stored = (this.content.byDocument.get(`${kind}/${id}`) ?? []).filter(({ accepted }) => accepted);
    return stored.map(({ op, by, roles }) => ({ op, by: op.by ?? by, roles }));
  }

  #stored({ kind, docId, folded, createdAt, updatedAt, roles }: DocumentRow): StoredDocument {
    return { kind, id: docId, folded, createdAt, updatedAt, roles, owned: this.#owned(kind, docId) };
  }

  #owned(kind: OpKind, id: string): JsonObject {
    const counted = (of: OpKind, name: string): number => {
      const ids = [...this.content.byDocument.keys()].filter((key) => key.startsWith(`${of}/`));
      return ids.filter(
        (key) =>
          this.#row(of, key.slice(of.length + 1))?.counted.some(
            ([counter, what]) => counter === name && what === id,
          ) === true,
      ).length;
    };
    if (kind === 'survey') return { meta: { images: { total: counted('image', 'survey.images') } } };
    if (kind === 'image')
      return {
        meta: {
          analysis: { total: counted('analysis', 'image.analyses') },
          analysis_expert: { total: counted('analysis', 'image.analyses_expert') },
        },
      };
    return {};
  }

  #tell(entries: readonly ChangeEntry[]): void {
    if (entries.length === 0) return;
    // A committed entry stays committed; an error of one listener does not affect the others.
    this.#committed.emit(entries, () => undefined);
  }
}

function entryOf(row: Pick<Row, 'seq' | 'receipt'>, stored: StoredOp | undefined): ChangeEntry {
  const receipt = JSON.parse(row.receipt) as Receipt;
  if (stored === undefined) return { seq: row.seq, receipt };
  const op = JSON.parse(JSON.stringify(stored.op)) as Op;
  return {
    seq: row.seq,
    op,
    receipt,
    ...(op.by === undefined && stored.by !== null ? { by: stored.by } : {}),
    ...(stored.roles.length === 0 ? {} : { roles: stored.roles }),
  };
}

/** Audience of an entry without a grant; see the cloud's own store. */
function audienceOf({
  op,
  by,
  accepted,
  sees,
  heldFor = by,
}: {
  op: Op;
  by: string | null;
  accepted: boolean;
  sees?: readonly string[] | undefined;
  heldFor?: string | null | undefined;
}): { subject?: string } {
  const alone = !accepted || topicOf(op) === null || (sees !== undefined && by !== null && !sees.includes(by));
  const reader = accepted ? by : heldFor;
  return alone && reader !== null ? { subject: `person:${reader}` } : {};
}

function otherOp(): ReefError {
  return new ReefError('receipt-mismatch', {
    field: 'op.opId',
    message: 'A different operation already has this opId. Nothing was changed.',
  });
}
