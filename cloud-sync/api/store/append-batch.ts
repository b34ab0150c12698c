import { ReefError } from '../../../src/domain/errors';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { topicOf } from '../../../src/domain/policy/topic-policy';
import type { Receipt } from '../../../src/protocol/receipt';
import type { AppendFacts, DocumentRef, StoreIdentity } from '../../../src/server/ops/append-store';
import { inTurns } from '../../../src/server/ops/document-fold';
import type { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { Grant, SubmitterIds } from '../access/grants';
import { addGrants, grantsOf } from '../access/grants';
import type { FoldedDocument } from './documents';
import { documentKey, putDocuments, whichExist } from './documents';
import { OutdatedDecisionError } from './outdated-decision';
import type { TouchedDocument } from './touched-documents';
import { addToFold, loadTouched } from './touched-documents';
import { addFeedEntries } from '../feed/feed';
import { addHeld } from '../intake/pg-held-store';
import { recordBlobs } from '../images/image-blobs';
import { serializeRoles } from '../../../src/server/ops/author-roles';
import type { AppendJob, AppendResult } from './append-job';
import { authorOf, opIdMismatchError, submitterOf } from './append-job';
import type { WriteTransaction } from './writer';

export interface BatchContext {
  readonly identity: StoreIdentity;
  readonly signer: ReceiptSigner;
  readonly now: () => Date;
}

/** Stores, folds and receipts a batch, each operation on its own. Results are in job order. */
export async function appendBatch(
  transaction: WriteTransaction,
  jobs: readonly AppendJob[],
  context: BatchContext,
): Promise<AppendResult[]> {
  const { client } = transaction;
  const results = new Map<string, AppendResult>();
  const first = firstOfEach(jobs);
  const known = await knownOps(transaction, [...first.keys()]);
  const fresh = [...first.values()].filter(({ op }) => !known.has(op.opId));

  const accepted = fresh.filter(({ facts }) => facts.quarantine === undefined);
  const { foldings, failed, problems } = await foldInto(transaction, accepted);
  for (const [{ op }, error] of failed) results.set(op.opId, { error });
  const stored = fresh
    .filter((job) => !failed.has(job))
    .map((job) => {
      const problem = problems.get(job);
      return problem === undefined ? job : { ...job, facts: { ...job.facts, quarantine: problem } };
    });

  await addGrants(transaction, [
    ...stored.flatMap(ownGrants),
    ...jobs.flatMap((job) => grantsOfKnown(job, known.get(job.op.opId))),
  ]);
  const receipts = stored.map((job) => ({ job, receipt: signReceipt(job, transaction.nextSeq(), context) }));
  if (receipts.length > 0) {
    await client.query({
      name: 'ops-add',
      text: `INSERT INTO ops (op_id, seq, kind, doc_id, by_person, accepted, op, author_roles, sig_key)
             SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[], $9::text[])`,
      values: [
        receipts.map(({ job }) => job.op.opId),
        receipts.map(({ receipt }) => receipt.seq),
        receipts.map(({ job }) => job.op.kind),
        receipts.map(({ job }) => job.op.docId),
        receipts.map(({ job }) => job.facts.by),
        receipts.map(({ receipt }) => receipt.accepted),
        receipts.map(({ job }) => job.text),
        receipts.map(({ job }) => serializeRoles(job.facts.roles)),
        receipts.map(({ job }) => job.op.sig?.key ?? null),
      ],
    });
    await addFeedEntries(
      transaction,
      receipts.map(({ job, receipt }) => ({
        seq: receipt.seq,
        receipt,
        own: true,
        submitter: submitterOf(job.facts),
        ...audienceOf({ ...job.facts, op: job.op, by: authorOf(job), accepted: receipt.accepted }),
      })),
    );
    await addHeld(client, stored);
    await putDocuments(client, foldings);
    await recordBlobs(
      client,
      stored.filter(({ facts }) => facts.quarantine === undefined),
    );
    await client.query({
      name: 'parked-done',
      text: 'DELETE FROM parked WHERE op_id = ANY($1::text[])',
      values: [receipts.map(({ job }) => job.op.opId)],
    });
  }
  for (const { job, receipt } of receipts) {
    const { op, facts } = job;
    results.set(op.opId, { receipt });
    transaction.newEntries.push({
      seq: receipt.seq,
      op,
      receipt,
      ...(op.by === undefined && facts.by !== null ? { by: facts.by } : {}),
      ...(facts.roles === undefined || facts.roles.length === 0 ? {} : { roles: facts.roles }),
    });
  }
  return jobs.map((job) => resultOf(job, known.get(job.op.opId), first.get(job.op.opId), results));
}

interface KnownOp {
  readonly op: string;
  readonly receipt: Receipt;
  /** False if a box without access to its topic brought it. */
  readonly opensTopic: boolean;
}

function firstOfEach(jobs: readonly AppendJob[]): Map<string, AppendJob> {
  const first = new Map<string, AppendJob>();
  for (const job of jobs) if (!first.has(job.op.opId)) first.set(job.op.opId, job);
  return first;
}

async function knownOps({ client }: WriteTransaction, opIds: readonly string[]): Promise<Map<string, KnownOp>> {
  const { rows } = await client.query<{ op_id: string; op: string; receipt: string; opens: boolean }>({
    name: 'ops-known-to-box',
    text: `SELECT o.op_id, o.op, f.receipt, f.brought_node IS NULL OR EXISTS (
             SELECT FROM grants g WHERE g.subject = 'node:' || f.brought_node AND g.topic = f.topic) AS opens
           FROM ops o JOIN feed f ON f.seq = o.seq WHERE o.op_id = ANY($1::text[])`,
    values: [opIds],
  });
  return new Map(
    rows.map(({ op_id, op, receipt, opens }) => [
      op_id,
      { op, receipt: JSON.parse(receipt) as Receipt, opensTopic: opens },
    ]),
  );
}

function resultOf(
  job: AppendJob,
  known: KnownOp | undefined,
  first: AppendJob | undefined,
  results: ReadonlyMap<string, AppendResult>,
): AppendResult {
  if (known !== undefined) return known.op === job.text ? { receipt: known.receipt } : { error: opIdMismatchError() };
  if (first === undefined) throw new ReefError('internal');
  if (first.text !== job.text) return { error: opIdMismatchError() };
  const result = results.get(first.op.opId);
  if (result === undefined) throw new ReefError('internal');
  return result;
}

function signReceipt({ op, facts }: AppendJob, seq: number, { identity, signer, now }: BatchContext): Receipt {
  return signer.signReceipt({
    v: 1,
    ...identity,
    opId: op.opId,
    kind: op.kind,
    docId: op.docId,
    sha256: op.sha256,
    ...(facts.blob === undefined ? {} : { blob: { sha256: facts.blob.sha256, bytes: facts.blob.bytes } }),
    ...(facts.by === null ? {} : { by: facts.by }),
    accepted: facts.quarantine === undefined,
    ...(facts.quarantine === undefined ? {} : { reason: facts.quarantine }),
    seq,
    storedAt: now().toISOString(),
  });
}

/**
 * Audience of an operation. A refused one is visible to its submitting author, not to its survey. An author without
 * access to the topic still sees their own.
 */
export function audienceOf({
  op,
  by,
  accepted,
  sees,
  heldFor = by,
}: {
  readonly op: Op;
  readonly by: string | null;
  readonly accepted: boolean;
  readonly sees?: readonly string[] | undefined;
  readonly heldFor?: string | null | undefined;
}): { topic: string | null; subject: Grant['subject'] | null } {
  const topic = accepted ? topicOf(op) : null;
  const alone = topic === null || (sees !== undefined && by !== null && !sees.includes(by));
  const reader = accepted ? by : heldFor;
  return { topic, subject: alone && reader !== null ? `person:${reader}` : null };
}

function ownGrants(job: AppendJob): Grant[] {
  return job.facts.quarantine === undefined
    ? grantsOf(job.op, authorOf(job), submitterWithAccess(job.facts), job.facts.sees)
    : [];
}

function submitterWithAccess(facts: AppendFacts): SubmitterIds {
  const submitter = submitterOf(facts);
  return facts.box === undefined ? submitter : { ...submitter, node: facts.box };
}

/**
 * Grants for a box that submits a known operation: it knows the survey too, unless the operation came from a box that has
 * no access itself.
 */
function grantsOfKnown(job: AppendJob, known: KnownOp | undefined): Grant[] {
  const { device, node } = submitterOf(job.facts);
  if (known === undefined || node === null || !known.receipt.accepted || known.op !== job.text) return [];
  if (!known.opensTopic) return [];
  return grantsOf(job.op, null, { device, node }).filter(({ subject }) => subject === `node:${node}`);
}

interface Foldings {
  readonly foldings: FoldedDocument[];
  readonly failed: ReadonlyMap<AppendJob, ReefError>;
  /** Reasons in words of those that break a ceiling of their document. */
  readonly problems: ReadonlyMap<AppendJob, string>;
}

/**
 * Folds accepted operations into their documents, large ones in turns. An operation that cannot be folded, or whose
 * decision is outdated, is not stored.
 */
async function foldInto({ client }: WriteTransaction, jobs: readonly AppendJob[]): Promise<Foldings> {
  const failed = new Map<AppendJob, ReefError>();
  const problems = new Map<AppendJob, string>();
  if (jobs.length === 0) return { foldings: [], failed, problems };
  const wanted = new Map<string, { kind: OpKind; docId: string }>();
  for (const { op } of jobs) wanted.set(documentKey(op.kind, op.docId), op);
  const touched = await loadTouched(client, wanted, 'keep');
  const stored = await storedOf(client, touched, jobs);
  const changed = new Set<string>();
  const isNew = ({ kind, docId }: DocumentRef): boolean => {
    const key = documentKey(kind, docId);
    return !changed.has(key) && !stored.has(key);
  };
  const addAll = function* (): Generator<number, void> {
    for (const job of jobs) {
      const key = documentKey(job.op.kind, job.op.docId);
      try {
        if (job.facts.absent?.every(isNew) === false) throw new OutdatedDecisionError();
        const taken = { op: job.op, by: authorOf(job), roles: job.facts.roles ?? [] };
        const problem = addToFold(touched.get(key)?.fold, taken, job.facts.ceilings ?? 'keep');
        if (problem === undefined) changed.add(key);
        else problems.set(job, problem);
      } catch (cause) {
        failed.set(job, cause instanceof ReefError ? cause : new ReefError('internal', { cause }));
      }
      yield job.text.length;
    }
  };
  await inTurns(addAll());
  const foldings: FoldedDocument[] = [];
  for (const key of changed) {
    const document = touched.get(key);
    if (document?.fold === undefined) continue;
    foldings.push({ row: await inTurns(document.fold.rowSteps()), countedBefore: document.countedBefore });
  }
  return { foldings, failed, problems };
}

/** Documents that existed before this transaction, by {@link documentKey}: of those that decisions took for new. */
async function storedOf(
  client: WriteTransaction['client'],
  touched: ReadonlyMap<string, TouchedDocument>,
  jobs: readonly AppendJob[],
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  for (const [key, { countedBefore }] of touched) if (countedBefore !== undefined) stored.add(key);
  const others = jobs.flatMap(({ facts }) =>
    (facts.absent ?? []).filter(({ kind, docId }) => !touched.has(documentKey(kind, docId))),
  );
  for (const key of await whichExist(client, others)) stored.add(key);
  return stored;
}
