import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { sha256Schema } from '../../../src/domain/ids';
import { edgeMetaSchema } from '../../../src/domain/edge-stats';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { BridgeReport } from '../../../src/protocol/cloud-http';
import type {
  BridgeState as BridgeOrders,
  FreeingReply,
  FreeingAnswer,
  OpsReply,
} from '../../../src/protocol/edge-http';
import type { BoxPeople } from '../../../src/protocol/person-statement';
import { boxPeopleSchema } from '../../../src/protocol/person-statement';
import type { PublicKey } from '../../../src/protocol/receipt';
import { publicKeySchema } from '../../../src/protocol/receipt';
import { parseNodeTrace } from '../../../src/protocol/node-trace';
import type { ByteSource, EdgeApi, EdgeFacts, NodeFacts, OwnKeys } from './node-apis';
import type { HttpLink } from './http-link';

const count = z.int().min(0);

/** Members of a feed page that the bridge reads; all others pass unchanged. */
export const pageSchema = z.looseObject({
  storeEpoch: z.string(),
  entries: z.array(
    z.looseObject({
      seq: count,
      op: z.looseObject({ opId: z.string() }).optional(),
      receipt: z.looseObject({ opId: z.string() }).optional(),
    }),
  ),
  next: count,
});

/** Keys as JWK; box and cloud add members of their own. */
export const keysSchema = z.looseObject({ keys: z.array(publicKeySchema.loose()) });
interface EdgeKeys {
  readonly keys: readonly (PublicKey & { readonly for?: unknown })[];
}

const ordersSchema = z.looseObject({
  paused: z.boolean(),
  verifyRequestedAt: z.string().nullable(),
  freeing: z.boolean().optional(),
});
const freeingSchema = z.looseObject({
  freed: z.looseObject({ photographs: count, bytes: count }).nullable(),
  ask: z.looseObject({ id: z.string(), sha256: z.array(sha256Schema) }).nullable(),
});
const opsReplySchema = z.looseObject({
  results: z.array(z.looseObject({ opId: z.string().nullable() })),
  receipts: z.looseObject({
    errors: z.array(
      z.looseObject({ opId: z.string().nullable(), error: z.looseObject({ code: z.string(), message: z.string() }) }),
    ),
  }),
});

/**
 * Checks the shape of a reply and returns it unchanged, unknown members included.
 *
 * @throws ReefError `disconnected` for another shape: a different server answered
 */
export function parseReply<T>(schema: z.ZodType, value: unknown): T {
  const checked = schema.safeParse(value);
  if (checked.success) return value as T;
  throw new ReefError('disconnected', {
    message: `The answer has another form than was agreed (${String(checked.error.issues[0]?.path.join('.'))}).`,
  });
}

/** Fetches a node's trace. @throws ReefError */
export async function fetchTrace(
  link: HttpLink,
  path: string,
  network: 'edge' | 'www',
  signal?: AbortSignal,
): Promise<NodeFacts> {
  const trace = parseNodeTrace((await link.ask({ method: 'GET', path, signal })).body);
  if (trace?.network !== network)
    throw new ReefError('disconnected', {
      message: network === 'edge' ? 'The server there is not a box.' : 'What answers there is not the cloud.',
    });
  return { node: trace.node, storeEpoch: trace.storeEpoch, time: trace.time };
}

export async function nullIfNotFound<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ReefError && error.code === 'not-found') return null;
    throw error;
  }
}

/** The box over HTTP, with its admin token. */
export class HttpEdge implements EdgeApi {
  readonly #link: HttpLink;

  constructor(link: HttpLink) {
    this.#link = link;
  }

  identity(signal?: AbortSignal): Promise<NodeFacts> {
    return fetchTrace(this.#link, '/edge/trace', 'edge', signal);
  }

  async facts(signal?: AbortSignal): Promise<EdgeFacts> {
    const { name, version, disk, owed, owedBytes } = edgeMetaSchema.parse(
      await this.#link.json({ method: 'GET', path: '/edge/meta', signal }),
    );
    return {
      name: name ?? '',
      version,
      disk: { free: disk.free, size: disk.size },
      owed: { ops: owed, bytes: owedBytes ?? 0 },
    };
  }

  async changes({ since, limit }: { since: number; limit: number }, signal?: AbortSignal): Promise<ChangesPage> {
    return parseReply(
      pageSchema,
      await this.#link.json({ method: 'GET', path: `/edge/changes?since=${since}&limit=${limit}`, signal }),
    );
  }

  bytes(sha256: string, { start, end }: { start: number; end: number }, signal?: AbortSignal): ByteSource {
    return this.#link.body({ path: `/edge/blobs/${sha256}`, headers: { Range: `bytes=${start}-${end}` }, signal });
  }

  async ownKeys(signal?: AbortSignal): Promise<OwnKeys> {
    const { keys } = parseReply<EdgeKeys>(
      keysSchema,
      await this.#link.json({ method: 'GET', path: '/edge/keys', signal }),
    );
    const of = (use: string): PublicKey[] =>
      keys.filter((key) => key.for === use).map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid }));
    return { bundle: of('bundle'), receipt: of('receipt') };
  }

  async people(signal?: AbortSignal): Promise<BoxPeople> {
    const answer = await nullIfNotFound(this.#link.json({ method: 'GET', path: '/edge/people', signal }));
    return answer === null ? { keys: [], statements: [] } : parseReply<BoxPeople>(boxPeopleSchema, answer);
  }

  async postOps(
    { ops, receipts }: { ops: readonly unknown[]; receipts: readonly unknown[] },
    signal?: AbortSignal,
  ): Promise<OpsReply> {
    return parseReply(
      opsReplySchema,
      await this.#link.json({ method: 'POST', path: '/edge/ops', json: { ops, receipts }, signal }),
    );
  }

  async putReference(name: string, value: unknown, signal?: AbortSignal): Promise<void> {
    await this.#link.json({ method: 'PUT', path: `/edge/reference/${name}`, json: value, signal });
  }

  async commands(signal?: AbortSignal): Promise<BridgeOrders> {
    return parseReply(
      ordersSchema,
      await this.#link.json({ method: 'POST', path: '/edge/bridge', json: { action: 'status' }, signal }),
    );
  }

  async freeing(answer: FreeingAnswer | null, signal?: AbortSignal): Promise<FreeingReply> {
    return parseReply(
      freeingSchema,
      await this.#link.json({ method: 'POST', path: '/edge/freeing', json: answer === null ? {} : { answer }, signal }),
    );
  }

  async report(report: BridgeReport, signal?: AbortSignal): Promise<void> {
    await this.#link.json({ method: 'POST', path: '/edge/bridge', json: { action: 'report', report }, signal });
  }
}
