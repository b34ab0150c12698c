import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/domain/canonical';
import type { JsonObject } from '../../src/domain/json';
import type { FreedRow } from '../../src/data/ops/database';
import type { OpDraft } from '../../src/domain/op/draft';
import type { Op } from '../../src/domain/op/op';
import type { Receipt } from '../../src/protocol/receipt';
import { blobOf } from '../../src/protocol/receipt';
import { fieldsOf } from './model-fold';
import type { SimBridge } from './nodes/sim-bridge';
import type { SimCloud } from './nodes/sim-cloud';
import type { SimEdge } from './nodes/sim-edge';
import type { SimTablet } from './nodes/sim-tablet';
import { SimBlob } from './virtual-loop';
import type { SimNode, World } from './world';

/** Thrown when an invariant is broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** Operation that a tablet reported as "Saved". */
interface Saved {
  op: Op;
  /** Tablet that must store it; undefined if only found at a box. */
  readonly tablet: SimTablet | undefined;
  readonly bytes: Uint8Array | undefined;
}

export function textOf(op: Op): string {
  return canonicalJson(op as unknown as JsonObject);
}

/** Records the promises of a history and detects broken ones. */
export class Oracle {
  /** Saved operations by what a reissue preserves: document, content and time. */
  readonly saved = new Map<string, Saved>();
  /** Receipts returned to anyone, by store and operation. */
  readonly receipts = new Map<string, Receipt>();
  /** Lost stores, whose promises are void. */
  readonly goneStores = new Set<string>();
  /** Operations stored only where a store was lost. */
  readonly excused = new Set<string>();

  /** True after a cloud lost freed bytes: tablets that have them must send them straight ashore. */
  mustComeFromTablets = false;
  /** Hashes that boxes freed. */
  readonly #freedAboard = new Set<string>();

  readonly #freedSeen = new Set<string>();
  readonly #begun = new Map<string, string>();

  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Notes a started write, which may be stored without a notice. */
  noteBegun(draft: OpDraft): void {
    this.#begun.set(`${draft.docId} ${canonicalJson(draft.body)}`, draft.madeAt);
  }

  /** Treats stored operations as promised if they were written. @throws Violation for one that was never written */
  adopt(who: string, ops: readonly Op[], tablet: SimTablet | undefined): void {
    for (const op of ops) {
      if (this.saved.has(keyOf(op)) || this.#world.hostile?.made(op) === true) continue;
      if (this.#begun.get(`${op.docId} ${canonicalJson(op.body)}`) !== op.madeAt)
        throw new Violation(`${who} holds ${op.opId}, which no one wrote`);
      this.saved.set(keyOf(op), { op, tablet, bytes: undefined });
    }
  }

  /** Notes that a tablet reported "Saved". */
  noteSaved(tablet: SimTablet, op: Op, bytes: Uint8Array | undefined): void {
    this.saved.set(keyOf(op), { op, tablet, bytes });
    this.#world.note(tablet.name, `saved ${op.opId} ${op.kind} ${op.docId} ${Object.keys(op.over ?? {}).join(',')}`);
  }

  /** Notes an answer to a tablet over its socket. */
  heard(tablet: SimTablet, event: string, answer: unknown): void {
    const { ok, receipt, error } = answer as { ok: boolean; receipt?: Receipt; error?: { code: string } };
    if (event !== 'owing')
      this.#world.note(tablet.name, `heard ${event} ${ok ? (receipt?.opId ?? 'ok') : String(error?.code)}`);
    if (receipt !== undefined) this.given(receipt);
  }

  given(receipt: Receipt): void {
    this.receipts.set(`${receipt.storeEpoch} ${receipt.opId}`, receipt);
    if (!receipt.accepted && this.#world.hostile === undefined)
      throw new Violation(`a good operation was refused: ${receipt.opId} ${receipt.reason ?? ''}`);
    const { cloud } = this.#world;
    if (
      cloud !== undefined &&
      receipt.stage === 'cloud' &&
      receipt.storeEpoch === cloud.content.identity.storeEpoch &&
      receipt.blob !== undefined
    )
      this.checkBytes('the cloud', receipt, cloud.bytesOf(receipt.blob.sha256));
  }

  /** Notes a failed save on a running tablet. */
  failed(tablet: SimTablet, deed: string, error: unknown): void {
    throw new Violation(`${tablet.name} could not save (${deed}): ${String(error)}`);
  }

  /** Checks a node's promises after its restart. */
  look(node: SimNode): void {
    const { tablets, edges, bridges, cloud } = this.#world;
    for (const tablet of tablets) {
      if (tablet !== node) continue;
      this.checkFreed(tablet);
      this.checkTablet(tablet);
      this.checkCursors(tablet);
    }
    for (const edge of edges) if (edge === node) this.checkEdge(edge);
    for (const bridge of bridges) if (bridge === node) this.checkBridge(bridge);
    if (cloud !== undefined && cloud === node) this.checkCloud(cloud);
  }

  /** True if some box holds each stored operation of a tablet: its later life meets them there. */
  isKnownAboard(tablet: SimTablet): boolean {
    const there = new Set(this.#world.edges.flatMap((edge) => edge.heldOps()).map(keyOf));
    const device = tablet.deviceId();
    const own = (op: Op): boolean => op.opId.startsWith(`${device}-`);
    const { tablets, edges, cloud } = this.#world;
    const elsewhere = [
      ...tablets.filter((other) => other !== tablet).flatMap((other) => other.ops().map(({ op }) => op)),
      ...edges.flatMap((other) => other.heldOps()),
      ...(cloud?.heldOps() ?? []),
      ...(cloud?.parkedOps() ?? []),
    ];
    return elsewhere.every((op) => !own(op) || there.has(keyOf(op)));
  }

  /** Checks that everything saved is on its tablet byte for byte, possibly under another number. */
  checkTablet(tablet: SimTablet): void {
    const here = byKey(tablet.ops().map(({ op }) => op));
    const blobs = new Map(
      (tablet.rows('blobs') as { sha256: string; blob: SimBlob }[]).map(({ sha256, blob }) => [sha256, blob]),
    );
    this.adopt(tablet.name, [...here.values()], tablet);
    for (const [key, saved] of this.saved) {
      if (saved.tablet !== tablet || this.excused.has(key)) continue;
      const { op, bytes } = saved;
      const held = here.get(key);
      if (held === undefined) throw new Violation(`${tablet.name} lost ${op.opId}, which it called saved`);
      if (held.opId === op.opId && textOf(held) !== textOf(op))
        throw new Violation(`${tablet.name} changed ${op.opId}, which it called saved`);
      saved.op = held;
      if (bytes === undefined || this.mayBeFreed(tablet, held)) continue;
      const blob = blobs.get(String(held.body['sha256']));
      if (blob === undefined || !Buffer.from(blob.content).equals(Buffer.from(bytes)))
        throw new Violation(`${tablet.name} has not the bytes of ${op.opId} as they were saved`);
    }
  }

  /** Loses or restores a disk. Data that was only there is excused; everything else must come back. */
  disaster(act: () => void, tablet?: SimTablet): void {
    const before = this.#heldAnywhere();
    act();
    const after = this.#heldAnywhere();
    for (const key of before) if (!after.has(key)) this.excused.add(key);
    if (tablet === undefined) return;
    const here = new Set(tablet.ops().map(({ op }) => keyOf(op)));
    for (const [key, saved] of this.saved) {
      if (saved.tablet !== tablet || here.has(key)) continue;
      this.saved.set(key, { ...saved, tablet: undefined });
      // Writes in progress when the copy was restored never existed.
      if (!after.has(key)) this.excused.add(key);
    }
  }

  #heldAnywhere(): Set<string> {
    const { tablets, edges, cloud } = this.#world;
    const ops = [
      ...tablets.flatMap((tablet) => tablet.ops().map(({ op }) => op)),
      ...edges.flatMap((edge) => edge.heldOps()),
      ...(cloud?.heldOps() ?? []),
      ...(cloud?.parkedOps() ?? []),
    ];
    return new Set(ops.map(keyOf));
  }

  mayBeFreed(tablet: SimTablet, op: Op): boolean {
    return (tablet.rows('freed') as FreedRow[]).some(({ sha256 }) => sha256 === op.body['sha256']);
  }

  /**
   * Hashes freed on a tablet or a box, or left out by a box that accepted the record on the cloud's receipt: the cloud's
   * bytes may be the only ones. Everything freed so far was freed rightly.
   */
  freedAnywhere(): string[] {
    const { tablets, edges } = this.#world;
    for (const tablet of tablets) this.checkFreed(tablet);
    const leftOut = edges.flatMap((edge) =>
      edge.heldOps().flatMap((op) => {
        const sha256 = blobOf(op)?.sha256;
        return sha256 === undefined || edge.bytesOf(sha256) !== undefined ? [] : [sha256];
      }),
    );
    return [
      ...leftOut,
      ...this.#freedAboard,
      ...tablets.flatMap((tablet) => (tablet.rows('freed') as FreedRow[]).map(({ sha256 }) => sha256)),
    ];
  }

  /** Checks that the cloud has a freed photograph and all records on the box that name it (protocol, "Freeing"). */
  freedByBox(edge: SimEdge, sha256: string): void {
    const { cloud } = this.#world;
    this.#world.note(edge.name, `freed ${sha256.slice(0, 8)}`);
    this.#world.covered('freed by a box');
    this.#freedAboard.add(sha256);
    if (cloud?.bytesOf(sha256) === undefined)
      throw new Violation(`${edge.name} freed ${sha256.slice(0, 8)}, which the cloud does not have`);
    const missing = edge
      .heldOps()
      .find((op) => blobOf(op)?.sha256 === sha256 && cloud.content.ops.get(op.opId)?.accepted !== true);
    if (missing !== undefined)
      throw new Violation(`${edge.name} freed ${sha256.slice(0, 8)} though ${missing.opId} is not ashore`);
  }

  /** True if a box lacks bytes because it freed them and the cloud has them. */
  #mayBeFreedAboard(edge: SimEdge, sha256: string): boolean {
    return (
      edge.bytesOf(sha256) === undefined &&
      edge.hasFreed(sha256) &&
      (this.#world.cloud?.bytesOf(sha256) !== undefined || this.mustComeFromTablets)
    );
  }

  /** True if its person is signed in to the cloud. */
  mayAshore(tablet: SimTablet): boolean {
    return (tablet.rows('clouds') as { credential: string | null }[]).some(({ credential }) => credential !== null);
  }

  /** True if a tablet with cloud access still has these bytes and can send them again. */
  isOnATablet(sha256: string): boolean {
    return this.#world.tablets.some(
      (tablet) =>
        this.mayAshore(tablet) && (tablet.rows('blobs') as { sha256: string }[]).some((row) => row.sha256 === sha256),
    );
  }

  /** Checks that bytes freed on a tablet since the last check were freed rightly (protocol, "Freeing"). */
  checkFreed(tablet: SimTablet): void {
    const { cloud } = this.#world;
    for (const row of tablet.rows('freed') as FreedRow[]) {
      const { sha256 } = row;
      const name = `${tablet.name} ${sha256} ${row.at}`;
      if (this.#freedSeen.has(name) || cloud === undefined) continue;
      this.#freedSeen.add(name);
      const { storeEpoch } = cloud.content.identity;
      const naming = tablet.ops().filter(({ op }) => op.kind === 'image' && op.body['sha256'] === sha256);
      const receipts = new Map(
        tablet
          .receipts()
          .filter(({ receipt }) => receipt.stage === 'cloud' && receipt.storeEpoch === storeEpoch && receipt.accepted)
          .map(({ receipt }) => [receipt.opId, receipt]),
      );
      for (const { op } of naming) {
        if (!row.docIds.includes(op.docId)) continue;
        if (receipts.get(op.opId)?.blob?.sha256 !== sha256 && !this.#cameSince(tablet, op, row))
          throw new Violation(
            `${tablet.name} freed ${sha256.slice(0, 8)} though ${op.opId} has no receipt of the cloud for it`,
          );
      }
      if (row.receipts.some(({ stage, accepted }) => stage !== 'cloud' || !accepted))
        throw new Violation(`${tablet.name} freed ${sha256.slice(0, 8)} on the word of a receipt that frees nothing`);
      if (cloud.bytesOf(sha256) === undefined)
        throw new Violation(`${tablet.name} freed ${sha256.slice(0, 8)}, which the cloud does not have`);
      if (
        row.by === 'time' &&
        row.receipts.some(({ storedAt }) => Date.parse(row.cloudTime) - Date.parse(storedAt) < 7 * 86_400_000)
      )
        throw new Violation(`${tablet.name} freed ${sha256.slice(0, 8)} before its time`);
    }
  }

  /** True for an edit of the record written after the bytes were freed. */
  #cameSince(tablet: SimTablet, op: Op, row: FreedRow): boolean {
    return (
      !row.receipts.some(({ opId }) => opId === op.opId) &&
      tablet.ops().some(({ op: other }) => other.opId === op.opId && op.over !== undefined)
    );
  }

  /** Checks that a box stores everything it receipted. */
  checkEdge(edge: SimEdge): void {
    const store = edge.running?.store;
    if (store === undefined || !edge.alive) return;
    const find = store.database.prepare<[string], { op: string; accepted: number }>(
      'SELECT op, accepted FROM ops WHERE op_id = ?',
    );
    for (const receipt of this.receipts.values()) {
      if (receipt.storeEpoch !== store.identity.storeEpoch || receipt.nodeId !== store.identity.nodeId) continue;
      const row = find.get(receipt.opId);
      if (row === undefined)
        throw new Violation(`${edge.name} gave a receipt for ${receipt.opId} and does not have it`);
      const op = JSON.parse(row.op) as Op;
      if (op.sha256 !== receipt.sha256)
        throw new Violation(`${edge.name} holds something else than its receipt for ${receipt.opId} says`);
      if (receipt.blob !== undefined && !this.#mayBeFreedAboard(edge, receipt.blob.sha256))
        this.checkBytes(edge.name, receipt, edge.bytesOf(receipt.blob.sha256));
    }
  }

  /** Checks that the cloud stores everything it receipted. */
  checkCloud(cloud: SimCloud): void {
    const { identity } = cloud.content;
    for (const receipt of this.receipts.values()) {
      if (receipt.stage !== 'cloud' || receipt.storeEpoch !== identity.storeEpoch) continue;
      const stored = cloud.content.ops.get(receipt.opId);
      if (stored === undefined)
        throw new Violation(`the cloud gave a receipt for ${receipt.opId} and does not have it`);
      if (stored.op.sha256 !== receipt.sha256)
        throw new Violation(`the cloud holds something else than its receipt for ${receipt.opId} says`);
      if (receipt.blob !== undefined) this.checkBytes('the cloud', receipt, cloud.bytesOf(receipt.blob.sha256));
    }
    for (const { receipt } of cloud.content.ops.values()) {
      const { blob } = JSON.parse(receipt) as Receipt;
      if (blob !== undefined) this.checkBytes('the cloud', JSON.parse(receipt) as Receipt, cloud.bytesOf(blob.sha256));
    }
  }

  /** True if the cloud has a box's write under the name of its reissue. */
  isAshoreAgain(edge: SimEdge, opId: string): boolean {
    const op = edge.heldOps().find((one) => one.opId === opId);
    return (
      op !== undefined &&
      (this.#world.cloud?.heldOps() ?? []).some(
        (other) => other.opId !== opId && keyOf(other) === keyOf(op) && replaces(other, op),
      )
    );
  }

  /** Checks that everything a bridge passed is aboard and ashore, or in its tracker. */
  checkBridge(bridge: SimBridge): void {
    const { cloud } = this.#world;
    const state = bridge.state();
    const store = bridge.edge.alive ? bridge.edge.running?.store : undefined;
    if (state === undefined || store === undefined || cloud === undefined) return;
    const { storeEpoch } = cloud.content.identity;
    if (state.edge.epoch !== store.identity.storeEpoch || state.cloud.epoch !== storeEpoch) return;
    const open = new Set(state.open.map(({ opId }) => opId));
    const ashore = store.database.prepare<[string, string]>(
      "SELECT 1 FROM feed WHERE op_id = ? AND stage = 'cloud' AND store_epoch = ?",
    );
    const passed = store.database
      .prepare<[number], { op_id: string }>('SELECT op_id FROM ops WHERE seq <= ?')
      .all(state.edge.cursor);
    for (const { op_id } of passed) {
      if (!open.has(op_id) && ashore.get(op_id, storeEpoch) === undefined && !this.isAshoreAgain(bridge.edge, op_id))
        throw new Violation(`${bridge.name} passed ${op_id}, which has no receipt of the cloud aboard`);
    }
    const strayed = new Set(state.strayed.map(({ seq }) => seq));
    const held = store.database.prepare<[string]>('SELECT 1 FROM ops WHERE op_id = ?');
    const node = store.identity.nodeId;
    for (const row of cloud.content.feed) {
      if (row.seq > state.cloud.cursor || row.for !== `node:${node}` || strayed.has(row.seq)) continue;
      if (held.get(row.opId) === undefined)
        throw new Violation(`${bridge.name} passed ${row.opId} of the cloud's feed, which is not aboard`);
    }
  }

  /** Checks that a tablet stores all it read of a box's feed; a reissued write has its new op id. */
  checkCursors(tablet: SimTablet): void {
    const cursors = tablet.rows('cursors') as { nodeId: string; storeEpoch: string; since: number }[];
    const ops = tablet.ops().map(({ op }) => op);
    const here = new Map(ops.map((op) => [op.opId as string, op]));
    const receipts = new Set(tablet.receipts().map(({ opId, storeEpoch }) => `${opId} ${storeEpoch}`));
    for (const edge of this.#world.edges) {
      const store = edge.alive ? edge.running?.store : undefined;
      const cursor = cursors.find(
        ({ nodeId, storeEpoch }) => nodeId === store?.identity.nodeId && storeEpoch === store.identity.storeEpoch,
      );
      if (store === undefined || cursor === undefined) continue;
      const keys = (tablet.rows('edges') as { nodeId: string; cloudKeys: readonly unknown[] }[]).find(
        ({ nodeId }) => nodeId === store.identity.nodeId,
      );
      const held = new Map(edge.heldOps().map((op) => [op.opId as string, op]));
      const isAgain = (opId: string): boolean => {
        const op = held.get(opId);
        return (
          op !== undefined &&
          ops.some((other) => other.opId !== opId && keyOf(other) === keyOf(op) && replaces(other, op))
        );
      };
      const read = store.database
        .prepare<[number, string, string], { op_id: string; store_epoch: string; stage: string }>(
          "SELECT op_id, store_epoch, stage FROM feed WHERE seq <= ? AND (kind <> 'profile' OR device = ? OR doc_id = ?)",
        )
        .all(cursor.since, tablet.deviceId(), tablet.person);
      for (const { op_id, store_epoch, stage } of read) {
        if (receipts.has(`${op_id} ${store_epoch}`) && (stage !== 'edge' || here.has(op_id))) continue;
        if (isAgain(op_id) || this.#world.hostile?.hasTaken(op_id) === true) continue;
        // Receipts of an unknown key are not trusted: with the key, the feed is read again from the start.
        if (stage === 'cloud' && keys?.cloudKeys.length === 0) continue;
        if (stage === 'edge' && !here.has(op_id))
          throw new Violation(`${tablet.name} read past ${op_id} in the feed of ${edge.name} and does not have it`);
        throw new Violation(
          `${tablet.name} read past a receipt for ${op_id} in the feed of ${edge.name} and does not have it`,
        );
      }
    }
  }

  checkBytes(who: string, { opId, blob }: Receipt, bytes: Uint8Array | undefined): void {
    if (blob === undefined) return;
    if (bytes === undefined)
      throw new Violation(`${who} gave a receipt for the bytes of ${opId} and does not have them`);
    if (bytes.length !== blob.bytes || createHash('sha256').update(bytes).digest('hex') !== blob.sha256)
      throw new Violation(`${who} holds other bytes than its receipt for ${opId} says`);
  }
}

/** Key of an operation that survives a reissue under another number. */
export function keyOf(op: Op): string {
  const all = Object.keys(fieldsOf(op)).sort().join();
  const over = op.over === undefined ? all : Object.keys(op.over).sort().join();
  return `${op.by ?? ''} ${op.kind}/${op.docId} ${op.sha256} ${op.madeAt} ${op.lc ?? 1} ${blobOf(op)?.sha256 ?? ''} ${over}`;
}

/** Operations by key; of several ids of one write the last, which replaces the others. */
export function byKey(ops: readonly Op[]): Map<string, Op> {
  const found = new Map<string, Op>();
  for (const op of ops) {
    const other = found.get(keyOf(op));
    if (other === undefined || !replaces(other, op)) found.set(keyOf(op), op);
  }
  return found;
}

/** True if a write replaces another operation in some field. */
export function replaces(op: Op, { opId }: Op): boolean {
  return Object.values(op.over ?? {}).some((replaced) => replaced.includes(opId));
}
