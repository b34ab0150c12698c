import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { blobRef, imageOp, surveyOp } from '../../tests/conformance/ops';
import { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { SqliteAppendStore } from '../store/sqlite-append-store';
import { StoreStatistics } from './store-statistics';

const folder = fs.mkdtempSync(path.join(tmpdir(), 'reef-statistics-'));
afterEach(() => fs.rmSync(folder, { recursive: true }));

test('1§3 photographs of a survey are listed with their ids, which a folded record does not repeat', async () => {
  const store = SqliteAppendStore.open({
    folder: path.join(folder, 'edge'),
    signer: await ReceiptSigner.open(path.join(folder, 'keys', 'receipt.json')),
    report: () => undefined,
    onFatal: (error) => {
      throw error;
    },
  });
  const [survey, blob] = [surveyOp(1), blobRef('a')];
  const image = imageOp(2, 'Image00000000001', blob, { survey: { id: survey.docId, name: 'Reef', regionId: 'gbr' } });
  await store.append(survey, { by: null });
  await store.append(image, { by: null, blob });
  const statistics = new StoreStatistics(store.database);
  expect(statistics.imagesOf(survey.docId)).toMatchObject([{ id: image.docId, survey: { id: survey.docId } }]);
  expect(statistics.imagesOf('another')).toEqual([]);
  await store.close();
});
