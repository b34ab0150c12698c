import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { idSchema } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { EdgeReplies } from '../../../protocol/edge-socket';
import type { PublicKey } from '../../../protocol/receipt';
import { publicKeySchema } from '../../../protocol/receipt';
import type { OpsStore } from '../../ops/ops-store';
import type { EdgeSocket } from './edge-socket';
import { parseUrl } from '../http';

export interface TabletName {
  readonly name: string;
  readonly appVersion: string;
}

/** Used parts of the reply; a newer box may send more. */
const replySchema = z.looseObject({
  edge: z.looseObject({ id: idSchema, name: z.string(), storeEpoch: idSchema }),
  session: z.string().min(1),
  publicKey: publicKeySchema,
  cloudKeys: z.array(publicKeySchema).optional(),
  cloudUrl: z.string().max(400).optional(),
  limits: z.looseObject({ chunkBytes: z.int().min(1) }),
  binary: z.array(z.string()),
});

/**
 * Step 1 of every connection (protocol, "Edge socket"): identifies this tablet and reads the box's reply.
 *
 * @throws ReefError from the box; `bad-message` for an invalid reply; `disconnected`, `timeout`
 */
export async function verifyWithEdge(
  socket: EdgeSocket,
  store: OpsStore,
  self: TabletName,
  proof: { session?: string; code?: string; token?: string } = {},
): Promise<EdgeReplies['verify']> {
  const reply = await socket.request('verify', {
    protocol: { min: LIMITS.protocolMin, max: LIMITS.protocolMax },
    app: { version: self.appVersion },
    device: await ownDevice(store, self),
    ...proof,
  });
  const parsed = replySchema.safeParse(reply);
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This version of the app does not understand the box’s reply.' });
  return reply;
}

/** @throws ReefError `internal` if the storage has no device id */
export async function ownDevice(store: OpsStore, { name }: TabletName): Promise<{ id: string; name: string }> {
  const id = await store.getMeta('deviceId');
  if (id === undefined) throw new ReefError('internal', { message: 'This tablet has no id yet.' });
  return { id, name };
}

/** Cloud address that a box names; undefined if it names none or an unusable one. */
export function cloudOriginOf({ cloudUrl }: Pick<EdgeReplies['verify'], 'cloudUrl'>): string | undefined {
  const url = cloudUrl === undefined ? null : parseUrl(cloudUrl);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : undefined;
}

/** Adds new keys to the pinned ones. */
export function mergeKeys(pinned: readonly PublicKey[], more: readonly PublicKey[]): readonly PublicKey[] {
  return [...pinned, ...more.filter((key) => !pinned.some(({ kid }) => kid === key.kid))];
}
