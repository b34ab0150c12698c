import { ReefError } from '../../../domain/errors';
import { deviceAnswerText } from '../../../protocol/device-answer';
import type { DeviceKeyPair } from '../../../platform/host';
import { openDeviceKey, replaceDeviceKey } from '../../ops/device-key';
import type { OpsStore } from '../../ops/ops-store';
import { CloudHttp } from './cloud-http';

/**
 * Has this device's key certified for the person of a session (protocol, "Device keys"). A revoked key is replaced. A
 * cloud of version 1 certifies none, and a browser without Ed25519 has none: both work on, unsigned.
 *
 * @returns the certified key, if any
 * @throws ReefError from the cloud; `disconnected`, `timeout`
 */
export async function certifyKey(
  store: OpsStore,
  cloud: { readonly origin: string; readonly nodeId: string },
  session: string,
): Promise<string | undefined> {
  const key = await openDeviceKey(store);
  if (key === undefined) return undefined;
  try {
    await certify(store, cloud, session, key);
    return key.x;
  } catch (error) {
    if (!(error instanceof ReefError)) throw error;
    if (error.code === 'not-found') return undefined;
    if (error.code !== 'forbidden' || error.details['field'] !== 'key') throw error;
    const next = await replaceDeviceKey(store, key.x);
    if (next !== undefined) await certify(store, cloud, session, next);
    return next?.x;
  }
}

/** Enrols this device for a session from before it had a key, and fetches the token for boxes that names the key. */
export async function enrolSession(
  store: OpsStore,
  cloud: { readonly origin: string; readonly nodeId: string },
): Promise<void> {
  const { db, host } = store;
  const account = await store.run(() => db.accounts.get(cloud.nodeId));
  const key = await openDeviceKey(store);
  if (account === undefined || key === undefined || account.certifiedKey === key.x) return;
  try {
    const certifiedKey = await certifyKey(store, cloud, account.session);
    if (certifiedKey === undefined) return;
    const edgeToken = await new CloudHttp(host, cloud.origin, account.session).edgeToken();
    await store.run(() =>
      db.transaction('rw', db.accounts, async () => {
        // Another person may have signed in since.
        const now = await db.accounts.get(cloud.nodeId);
        if (now?.session === account.session) await db.accounts.put({ ...now, edgeToken, certifiedKey });
      }),
    );
  } catch (error) {
    if (!(error instanceof ReefError)) throw error;
    host.log.note('info', 'The shore did not certify the key of this tablet; sending goes on.', {
      code: error.code,
      message: error.message,
    });
  }
}

async function certify(
  { host }: OpsStore,
  { origin, nodeId }: { readonly origin: string; readonly nodeId: string },
  session: string,
  { x, privateKey }: DeviceKeyPair,
): Promise<void> {
  const answer = await host.deviceKeys.sign(privateKey, deviceAnswerText({ node: nodeId, challenge: session, key: x }));
  await new CloudHttp(host, origin, session).certifyKey(x, answer);
}
