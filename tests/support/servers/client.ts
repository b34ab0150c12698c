import { createHash } from 'node:crypto';
/**
 * Shared parts of the fault tests around the independent client: photographs made from a seed, and the audit of a box.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { canonicalJson, sha256, type Json, type Op, type Receipt } from '../../independent/canonical';
import { type IndependentClient } from '../../independent/client';
import { newId, type Item } from '../../independent/state';
import { request } from '../../independent/wire';
import type { Seeded } from '../seed';

/** Temporary folder; `remove` deletes it. */
export function tempFolder(name: string): { path: string; remove: () => void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), `reef-${name}-`));
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Writes a file with a JPEG's first bytes and seeded noise behind them: a truncated photograph, which a box accepts.
 */
export function makePhotograph(folder: string, bytes: number, random: Seeded): string {
  const content = random.bytes(bytes);
  Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00]).copy(content);
  const file = path.join(folder, `${newId()}.jpg`);
  writeFileSync(file, content);
  return file;
}

/** Adds a person, a survey and photographs of these sizes to the client's outbox. */
export async function addVoyage(
  client: IndependentClient,
  folder: string,
  sizes: readonly number[],
  random: Seeded,
): Promise<Item[]> {
  const uid = newId();
  const added = [client.addProfile(uid, 'Seed', String(random.seed), `${uid}@example.org`)];
  const survey = client.addSurvey(uid, `Survey ${client.state.items.length}`);
  added.push(survey);
  for (const bytes of sizes) added.push(await client.addPhotograph(survey, makePhotograph(folder, bytes, random), uid));
  return added;
}

/** Box as an auditor sees it: its address, and the admin token. */
export interface AuditedBox {
  url: string;
  adminToken: string;
  ca?: string | undefined;
}

interface Entry {
  seq: number;
  op?: Op;
  receipt?: Receipt;
}

/** Reads the whole change feed of a box. */
export async function wholeFeed(box: AuditedBox): Promise<{ storeEpoch: string; entries: Entry[] }> {
  const entries: Entry[] = [];
  let since = 0;
  for (;;) {
    const answer = await request(`${box.url}/edge/changes?since=${since}&limit=1000`, {
      headers: { authorization: `Bearer ${box.adminToken}` },
      ca: box.ca,
    });
    if (answer.status !== 200)
      throw new Error(`the change feed answered ${answer.status}: ${answer.body.toString('utf8').slice(0, 200)}`);
    const page = JSON.parse(answer.body.toString('utf8')) as { storeEpoch: string; entries: Entry[]; next: number };
    entries.push(...page.entries);
    if (page.entries.length === 0) return { storeEpoch: page.storeEpoch, entries };
    since = page.next;
  }
}

/** Fetches the bytes of a hash; undefined if the box does not have them. */
export async function fetchBlob(box: AuditedBox, hash: string): Promise<Buffer | undefined> {
  const answer = await request(`${box.url}/edge/blobs/${hash}`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
    ca: box.ca,
  });
  return answer.status === 200 ? answer.body : undefined;
}

/** SHA-256 of the bytes that a box returns under a hash, computed here; undefined if it has none. */
export async function hashOnBox(box: AuditedBox, hash: string): Promise<string | undefined> {
  const bytes = await fetchBlob(box, hash);
  return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
}

/**
 * Lists every fault on the box compared with what these clients know: each receipted item is in the feed once, as sent,
 * under the client's receipt, with its bytes intact; no operation is there twice. With `finished` also: everything is
 * receipted, and nothing is there that was never sent.
 */
export async function audit(box: AuditedBox, items: readonly Item[], finished: boolean): Promise<string[]> {
  const faults: string[] = [];
  const { entries } = await wholeFeed(box);
  const byOp = new Map<string, Entry>();
  let last = 0;
  for (const entry of entries) {
    if (entry.seq <= last) faults.push(`seq ${entry.seq} comes after ${last}`);
    last = entry.seq;
    if (entry.op === undefined) continue;
    if (byOp.has(entry.op.opId)) faults.push(`op ${entry.op.opId} is on the box twice`);
    byOp.set(entry.op.opId, entry);
  }
  for (const { op, receipt, photo, refused } of items) {
    const name = `${op.kind} ${op.docId} (${op.opId})`;
    if (receipt === undefined) {
      if (finished)
        faults.push(`${name} has no receipt${refused === undefined ? '' : `: ${refused.code} ${refused.message}`}`);
      continue;
    }
    const entry = byOp.get(op.opId);
    if (entry?.op === undefined) {
      faults.push(`${name} is receipted and not on the box`);
      continue;
    }
    if (canonicalJson(entry.op as unknown as Json) !== canonicalJson(op as unknown as Json))
      faults.push(`${name} is not as it was sent`);
    if (canonicalJson(entry.receipt as unknown as Json) !== canonicalJson(receipt as unknown as Json))
      faults.push(`${name} has another receipt on the box`);
    if (photo === undefined) continue;
    const blob = await fetchBlob(box, photo.sha256);
    if (blob === undefined) faults.push(`${name} is receipted and its bytes are not on the box`);
    else if (blob.length !== photo.bytes || sha256(blob) !== photo.sha256)
      faults.push(`${name}: the bytes on the box are others`);
  }
  if (finished) {
    const sent = new Set(items.map(({ op }) => op.opId));
    for (const opId of byOp.keys()) if (!sent.has(opId)) faults.push(`op ${opId} is on the box and was never sent`);
  }
  return faults;
}

/** Counts chunks as they leave a client, by photograph. */
export class ChunkCount {
  sentBytes = 0;
  chunks = 0;

  readonly onChunk = (chunk: { bytes: number }): void => {
    this.sentBytes += chunk.bytes;
    this.chunks += 1;
  };
}

/** Waits until the condition holds. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, limitMs = 60_000): Promise<void> {
  for (const end = Date.now() + limitMs; !(await holds());) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
