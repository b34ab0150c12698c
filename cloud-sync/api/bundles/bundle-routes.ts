import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ReefError } from '../../../src/domain/errors';
import type { ImportLine } from '../../../src/protocol/bundle';
import { boxKeysSchema, importQuerySchema } from '../../../src/protocol/bundle';
import type { BoxPeople } from '../../../src/protocol/person-statement';
import { parseForm, parseInput } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import type { Vouching } from './box-keys';

/**
 * Routes of sealed bundles (protocol, "Sealed bundle"): `GET /api/seal-key`, `POST /api/fleet/keys` for a box's keys,
 * `POST /api/import` answers one receipt a line (see `importLineSchema`).
 */
export function bundleRoutes(app: FastifyInstance, context: CloudContext): void {
  const { bundles, log } = context;

  app.get('/api/seal-key', async (_request, reply) =>
    reply.header('Cache-Control', 'no-cache').send({ recipient: bundles.sealKeys.recipient }),
  );

  app.post('/api/fleet/keys', async (request) => {
    const { node, name, keys, receiptKeys, people } = parseInput(boxKeysSchema, request.body);
    await context.callers.forNode(request, request.cloudCaller, node);
    await context.boxReceiptVerifier.addKeys(node, receiptKeys);
    if (people !== undefined) await acceptPeople(context, node, people);
    for (const key of keys) {
      if (!(await bundles.boxKeys.trust(key, { node, name }, { by: 'box', node })))
        log.warn({ node, kid: key.kid }, 'accepted the first bundle key of a box, as its token vouches for it');
    }
    return { ok: true, ...(people === undefined ? {} : { people: people.statements.length }) };
  });

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post('/api/import', async (request, reply) => {
      const { confirm } = parseForm(importQuerySchema, request.query, 'query');
      if (!(request.body instanceof Readable))
        throw new ReefError('bad-message', { field: 'body', message: 'The body is not a sealed bundle of a box.' });
      // Checking a bundle of many gigabytes leaves the connection idle for a while.
      request.raw.socket.setTimeout(0);
      const begun = await withRequestBody(request.body, (source) =>
        bundles.imports.start(source, (node) => voucherOf(context, request, node, confirm ?? null)),
      );
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .send(Readable.from(toNdjson(begun.lines(), context), { objectMode: false }));
    });
  });
}

/** Stores a box's statements about its people; their work is judged again. */
export async function acceptPeople(
  { accounts, intake, log }: Pick<CloudContext, 'accounts' | 'intake' | 'log'>,
  node: string,
  people: BoxPeople,
): Promise<void> {
  const { taken, refused } = await accounts.statements.accept(node, people);
  if (refused > 0) log.warn({ node, refused }, 'statements about people are not this box’s, and were refused');
  for (const uid of taken) await intake.onDeviceKnown(uid);
}

/** Bytes read after a refusal so that the sender gets it; beyond that, the connection ends. */
const DRAIN_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Passes a body's bytes to a consumer. A refusal follows the remaining bytes: cut off midway, a sender would take it
 * for a bad connection.
 */
export async function withRequestBody<T>(
  body: Readable,
  take: (source: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    return await take(body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
  } catch (error) {
    let left = DRAIN_MAX_BYTES;
    if (!body.destroyed)
      for await (const part of body as AsyncIterable<Uint8Array>) if ((left -= part.length) < 0) break;
    throw error;
  }
}

/**
 * Returns the deliverer of a bundle and which box it may vouch for.
 *
 * @throws ReefError `forbidden` for another box's token
 */
export async function voucherOf(
  context: CloudContext,
  request: Pick<FastifyRequest, 'headers' | 'cloudCaller'>,
  node: string,
  confirmed: string | null,
): Promise<Vouching> {
  const caller = request.cloudCaller;
  if (caller.roles.has('staff')) return { by: 'staff', person: caller.person, confirmed };
  const box = await context.callers.forNode(request, caller, node);
  return { by: 'box', node: box.node ?? '' };
}

async function* toNdjson(lines: AsyncGenerator<ImportLine>, { log }: CloudContext): AsyncGenerator<string> {
  try {
    for await (const line of lines) {
      if ('bundle' in line)
        log.info(
          {
            node: line.bundle.node,
            records: line.bundle.ops.count,
            photographs: line.bundle.blobs.count,
            knownKey: line.signer.known,
          },
          'a bundle is imported',
        );
      if ('done' in line) log.info({ ...line.done }, 'the bundle was imported');
      yield `${JSON.stringify(line)}\n`;
    }
  } catch (error) {
    log.error({ err: error }, 'an import did not finish; its part stays, and it can be repeated');
    throw error;
  }
}
