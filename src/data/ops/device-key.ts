import { Dexie } from 'dexie';
import type { Op } from '../../domain/op/op';
import type { DeviceKeyPair } from '../../platform/host';
import { signedOpText } from '../../protocol/op-signature';
import type { OpsStore } from './ops-store';

/**
 * Returns the key that signs for this device; makes it at the first call. Undefined if the browser has no Ed25519 or
 * could not make one, which the next start tries again: what it writes then goes unsigned, as in version 1.
 */
export async function openDeviceKey(store: OpsStore): Promise<DeviceKeyPair | undefined> {
  const known = await store.getMeta('deviceKey');
  if (known !== undefined) return known;
  const made = await store.host.deviceKeys.generate();
  if (made === undefined) return undefined;
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', db.meta, async () => {
      // Another tab may have made one.
      const first = await deviceKeyIn(store);
      if (first === undefined) await db.meta.put({ key: 'deviceKey', value: made });
      return first ?? made;
    }),
  );
}

/** Replaces a key that was revoked; what the old one signed stays as it is. */
export async function replaceDeviceKey(store: OpsStore, revoked: string): Promise<DeviceKeyPair | undefined> {
  const made = await store.host.deviceKeys.generate();
  const { db } = store;
  return store.run(() =>
    db.transaction('rw', db.meta, async () => {
      const now = await deviceKeyIn(store);
      // Another tab may have replaced it.
      if (now?.x !== revoked || made === undefined) return now;
      await db.meta.put({ key: 'deviceKey', value: made });
      return made;
    }),
  );
}

/** Key of this device, read in a transaction that includes `meta`. */
export async function deviceKeyIn({ db }: OpsStore): Promise<DeviceKeyPair | undefined> {
  return (await db.meta.get('deviceKey'))?.value as DeviceKeyPair | undefined;
}

/** Signs a new operation within the transaction that stores it. */
export async function signInTransaction({ host }: OpsStore, key: DeviceKeyPair | undefined, op: Op): Promise<Op> {
  if (key === undefined) return op;
  const value = await Dexie.waitFor(host.deviceKeys.sign(key.privateKey, signedOpText(op)));
  return { ...op, sig: { key: key.x, value } };
}

/**
 * Signs an operation that got a new id, if this device had signed it before: another's work is not signed, nor what was
 * written before this device had a key.
 */
export async function signAgain(store: OpsStore, key: DeviceKeyPair | undefined, op: Op, before: Op): Promise<Op> {
  return before.sig !== undefined && before.sig.key === key?.x ? signInTransaction(store, key, op) : op;
}
