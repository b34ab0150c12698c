import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/domain/canonical';
import type { ImageId, PersonId, SurveyId } from '../../src/domain/ids';
import { newImage } from '../../src/domain/image/image';
import type { JsonObject } from '../../src/domain/json';
import type { Op, OpKind } from '../../src/domain/op/op';
import { newSurvey } from '../../src/domain/survey/survey';
import type { BlobRef, Receipt } from '../../src/protocol/receipt';

export const DEVICE = 'DeviceAAAAAAAAAA';
export const PERSON = 'Person0000000001' as Op['by'] & string;
export const SURVEY = 'Survey0000000001';
const MADE_AT = '2026-11-20T00:00:01.000Z';

export function sha256(data: string | Uint8Array): BlobRef['sha256'] {
  return createHash('sha256').update(data).digest('hex') as BlobRef['sha256'];
}

/** Operation with the right hash. `body` is completed by the id that the kind requires. */
export function op(n: number, kind: OpKind, docId: string, body: JsonObject, more: Partial<Op> = {}): Op {
  const whole: JsonObject = { [kind === 'profile' ? 'uid' : 'id']: docId, ...body };
  return {
    v: 1,
    opId: `${DEVICE}-${n}` as Op['opId'],
    kind,
    docId,
    madeAt: MADE_AT,
    schema: 1,
    body: whole,
    sha256: sha256(canonicalJson(whole)),
    ...more,
  };
}

export function surveyOp(n: number, more: Partial<Op> = {}, body: JsonObject = {}): Op {
  const docId = more.docId ?? SURVEY;
  const survey = newSurvey({
    id: docId as SurveyId,
    uid: PERSON as PersonId,
    name: 'Moore Reef',
    date: '2026-11-20',
    type: 'scuba',
    location: { id: '16-071', regionId: 'gbr', name: 'Moore Reef' },
    madeAt: MADE_AT,
  });
  return op(n, 'survey', docId, { ...survey, ...body }, more);
}

export function imageOp(n: number, docId: string, blob: BlobRef, body: JsonObject = {}, more: Partial<Op> = {}): Op {
  const image = newImage({
    id: docId as ImageId,
    survey: { id: SURVEY as SurveyId, name: 'Moore Reef', regionId: 'gbr' },
    uid: PERSON as PersonId,
    ...blob,
    type: 'image/jpeg',
    path: '1.jpg',
    madeAt: MADE_AT,
    preview: { state: 'none', reason: 'failed' },
  });
  return op(n, 'image', docId, { ...image, ...body }, more);
}

export function analysisOp(
  n: number,
  docId: string,
  imageId: string,
  body: JsonObject = {},
  more: Partial<Op> = {},
): Op {
  return op(
    n,
    'analysis',
    docId,
    { version: 2.4, image: { id: imageId }, survey: { id: SURVEY }, user: { uid: PERSON, isExpert: false }, ...body },
    more,
  );
}

export function blobRef(text: string): BlobRef {
  return { sha256: sha256(text), bytes: text.length };
}

/** Cloud receipt; its signature is checked before a store sees it, so any text will do here. */
export function cloudReceipt(of: Op, seq: number, more: Partial<Receipt> = {}): Receipt {
  return {
    v: 1,
    stage: 'cloud',
    nodeId: 'Cloud00000000001',
    storeEpoch: 'Epoch00000000001',
    opId: of.opId,
    kind: of.kind,
    docId: of.docId,
    sha256: of.sha256,
    accepted: true,
    seq,
    storedAt: '2026-11-21T00:00:00.000Z',
    kid: 'k1',
    sig: 'x',
    ...more,
  };
}
