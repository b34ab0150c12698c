import { afterEach, describe, expect, test } from 'vitest';
import { draftFirst } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import { parseOp } from '../../domain/op/op';
import { hasValidSignature } from '../../protocol/op-signature';
import { nodeHost } from '../../../tests/support/tablet/tablet';
import { append, appendAll } from './append';
import { openDeviceKey } from './device-key';
import { OpsStore } from './ops-store';
import { reissueUnsent } from './reissue-unsent';

const opened: OpsStore[] = [];
afterEach(() => opened.splice(0).forEach((store) => store.close()));

async function newStore(host = nodeHost()): Promise<OpsStore> {
  const store = await OpsStore.open(host, `keys-${opened.length}-ops`);
  opened.push(store);
  return store;
}

const survey = (id: string) =>
  draftFirst('survey', { id, name: 'Dive' }, { madeAt: '2026-11-22T09:30:00.000Z', schema: 1 });

const isSigned = (op: Op): Promise<boolean> => hasValidSignature(op, nodeHost().verifySignature);

describe('protocol, Operation: the device signs what it writes', () => {
  test('each operation is stored with a signature over all of it', async () => {
    const store = await newStore();
    const key = await openDeviceKey(store);
    const ops = [
      await append(store, survey('survey0000000001')),
      ...(await appendAll(store, [{ draft: survey('survey0000000002') }, { draft: survey('survey0000000003') }])),
    ];
    for (const op of ops) {
      expect(parseOp(structuredClone(op)).sig?.key).toBe(key?.x);
      expect(await isSigned(op)).toBe(true);
      expect(await isSigned({ ...op, lc: 9 })).toBe(false);
      expect(await isSigned({ ...op, by: 'person0000000001' as Op['by'] & string })).toBe(false);
      expect((await store.db.ops.get(op.opId))?.op).toEqual(op);
    }
  });

  test('two tabs make one key', async () => {
    const host = nodeHost();
    const [one, other] = [await newStore(host), await OpsStore.open(host, 'keys-0-ops')];
    opened.push(other);
    const keys = await Promise.all([openDeviceKey(one), openDeviceKey(other)]);
    expect(keys[0]?.x).toBe(keys[1]?.x);
  });

  test('an operation reissued under a new id is signed again', async () => {
    const store = await newStore();
    await openDeviceKey(store);
    const before = await append(store, survey('survey0000000001'));
    await reissueUnsent(store, (await store.getMeta('deviceId'))!, () => false);
    const [row] = await store.db.ops.toArray();
    expect(row?.opId).not.toBe(before.opId);
    expect(await isSigned(row!.op)).toBe(true);
  });

  test('an operation from before the key stays unsigned, also under a new id', async () => {
    const store = await newStore();
    const before = await append(store, survey('survey0000000001'));
    expect(before.sig).toBeUndefined();
    await openDeviceKey(store);
    await reissueUnsent(store, (await store.getMeta('deviceId'))!, () => false);
    expect((await store.db.ops.toArray()).map(({ op }) => op.sig)).toEqual([undefined]);
  });

  test('without Ed25519 in the browser operations are written unsigned', async () => {
    const host = nodeHost();
    const store = await newStore({ ...host, deviceKeys: { ...host.deviceKeys, generate: async () => undefined } });
    expect(await openDeviceKey(store)).toBeUndefined();
    expect((await append(store, survey('survey0000000001'))).sig).toBeUndefined();
  });
});
