import type { Defect } from '../defects/defect';

/** Mistakes in the rules of authorship and access, which a hostile tablet or box would use. */
export const HOSTILE_DEFECTS: readonly Defect[] = (
  [
    {
      name: 'a signature is not verified',
      shownBy: 2,
      planted: [
        {
          file: 'src/protocol/op-signature.ts',
          find: 'return op.sig !== undefined && (await verify(deviceKeyOf(op.sig.key), op.sig.value, text ?? signedOpText(op)));',
          replace:
            "return op.sig !== undefined && ((await verify(deviceKeyOf(op.sig.key), op.sig.value, text ?? signedOpText(op))) || op.sig.value !== '');",
        },
      ],
    },
    {
      name: 'a signature is valid for any author',
      shownBy: 1,
      planted: [
        {
          file: 'cloud-sync/api/intake/admission.ts',
          find: "return !isValid ? 'wrong' : isCertified ? 'author' : 'stranger';",
          replace: "return isValid ? 'author' : 'wrong';",
        },
      ],
    },
    {
      name: 'what a box vouches for gives its author access, signed or not',
      shownBy: 1,
      planted: [
        {
          file: 'src/domain/policy/topic-policy.ts',
          find: "if (facts.signature === 'wrong') return 'signature';",
          replace: "if (vouched && op.kind !== 'profile') return undefined;",
        },
        {
          file: 'src/domain/policy/topic-policy.ts',
          find: 'return boxTakesPart && facts.hasAccount !== true ? [by] : [];',
          replace: 'return [by, recordOwner(op.body)];',
        },
      ],
    },
    {
      name: 'roles count without a signature',
      shownBy: 2,
      planted: [
        {
          file: 'cloud-sync/api/intake/cloud-intake.ts',
          find: "if ((await this.#admission.signatureOf(op, by)) !== 'author') return [];",
          replace: '',
        },
      ],
    },
    {
      name: 'a box’s receipt for one operation counts for any',
      shownBy: 16,
      planted: [
        {
          file: 'cloud-sync/api/intake/box-receipt-verifier.ts',
          find: 'await checkReceiptSignature(receipt, await keysOf(receipt.nodeId), verifySignature);',
          replace: 'await keysOf(receipt.nodeId);',
        },
      ],
    },
    {
      name: 'a profile counts without its person’s signature',
      shownBy: 2,
      planted: [
        {
          file: 'src/domain/policy/topic-policy.ts',
          find: "if (facts.hasAccount && facts.signature !== 'author' && !facts.isOwnSession && !facts.byStaff) return 'unsigned';",
          replace: '',
        },
      ],
    },
    {
      name: 'a box gets access by naming an author who has it',
      shownBy: 16,
      planted: [
        {
          file: 'src/domain/policy/topic-policy.ts',
          find: 'return begins || facts.boxTakesPart || isProven;',
          replace: 'return begins || facts.boxTakesPart || isProven || facts.takesPart;',
        },
      ],
    },
    {
      name: 'a number that someone else used ashore ends the reading of feeds',
      shownBy: 75,
      planted: [
        {
          file: 'src/data/ops/ingest.ts',
          find: 'return row !== undefined && (!row.own || opIndex.receipts(op.opId).length > 0);',
          replace: 'return row?.own === false || opIndex.receipts(op.opId).length > 0;',
        },
      ],
    },
  ] satisfies Defect[]
).map((defect) => ({ ...defect, hostile: true }));
