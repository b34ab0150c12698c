import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { idSchema } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { EdgeMessage, EdgeReplies } from '../../../protocol/edge-socket';
import type { PublicKey } from '../../../protocol/receipt';
import { publicKeySchema } from '../../../protocol/receipt';
import { deviceAnswerText } from '../../../protocol/device-answer';
import { openDeviceKey } from '../../ops/device-key';
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

/** Maximum number of challenges answered on one connection: a message that came twice uses one up. */
const CHALLENGES_MAX = 3;

/** Proofs of one `verify`. */
interface EdgeProof {
  readonly session?: string;
  readonly code?: string;
  readonly token?: string;
  /** True to leave out the device's key: a box that knows another one then accepts what this tablet owes. */
  readonly isKeyless?: boolean;
}

/**
 * Step 1 of every connection (protocol, "Edge socket"): identifies this tablet, answers the box's challenge with the
 * device's key, and reads the box's reply. A box of version 1 asks for no answer.
 *
 * @param node id of the box that was pinned: another box cannot use the answer
 * @throws ReefError from the box; `bad-message` for an invalid reply; `disconnected`, `timeout`
 */
export async function verifyWithEdge(
  socket: EdgeSocket,
  store: OpsStore,
  self: TabletName,
  node: string,
  { isKeyless, ...proof }: EdgeProof = {},
): Promise<EdgeReplies['verify']> {
  const message = {
    protocol: { min: LIMITS.protocolMin, max: LIMITS.protocolMax },
    app: { version: self.appVersion },
    device: await ownDevice(store, self),
    ...proof,
  };
  const key = isKeyless === true ? undefined : await openDeviceKey(store);
  const reply =
    key === undefined
      ? await socket.request('verify', message)
      : await proveKey(socket, { ...message, key: key.x }, (challenge) =>
          store.host.deviceKeys.sign(key.privateKey, deviceAnswerText({ node, challenge, key: key.x })),
        );
  const parsed = replySchema.safeParse(reply);
  if (!parsed.success)
    throw new ReefError('bad-message', { message: 'This version of the app does not understand the box’s reply.' });
  return reply;
}

/** Sends `verify` until the box asks for no further answer. A message that came twice uses up one challenge. */
async function proveKey(
  socket: EdgeSocket,
  message: EdgeMessage<'verify'>,
  sign: (challenge: string) => Promise<string>,
): Promise<EdgeReplies['verify']> {
  let answer: string | undefined;
  for (let answered = 0; ; answered++) {
    try {
      return await socket.request('verify', answer === undefined ? message : { ...message, answer });
    } catch (error) {
      const challenge = challengeIn(error);
      if (challenge === undefined || answered === CHALLENGES_MAX) throw error;
      answer = await sign(challenge);
    }
  }
}

/** Challenge of a box that asks for the key's answer. */
function challengeIn(error: unknown): string | undefined {
  if (!(error instanceof ReefError) || error.code !== 'unauthorised') return undefined;
  const { challenge } = error.details;
  return typeof challenge === 'string' ? challenge : undefined;
}

/** Name of this tablet: the one that a person gave it, else that of its browser. */
export async function tabletName(store: OpsStore, browser: string): Promise<string> {
  return (await store.getMeta('tabletName')) ?? browser;
}

/** @throws ReefError `internal` if the storage has no device id */
export async function ownDevice(store: OpsStore, { name }: TabletName): Promise<{ id: string; name: string }> {
  const id = await store.getMeta('deviceId');
  if (id === undefined) throw new ReefError('internal', { message: 'This tablet has no id yet.' });
  return { id, name: await tabletName(store, name) };
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
