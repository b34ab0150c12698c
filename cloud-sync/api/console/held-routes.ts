import type { FastifyInstance, FastifyRequest } from 'fastify';
import { formatCount } from '../../../src/base/plural';
import { z } from 'zod';
import { quarantineGroupsParamsSchema, quarantineParamsSchema } from '../../../src/protocol/quarantine';
import type { QuarantineFilter, QuarantineGroup } from '../../../src/protocol/quarantine';
import { html } from '../../../src/server/pages/html';
import { themeOf, sendPage } from '../../../src/server/pages/page';
import { parseForm } from '../../../src/server/http/parse';
import type { CloudContext } from '../context';
import type { QuarantinedOp } from '../intake/quarantine';
import { CONSOLE_PATH } from './console-path';
import { notePage } from './fleet-page';
import { filterFields, heldAddress } from './held-address';
import { heldPage, sureSection } from './held-page';
import type { HeldRecords } from './quarantine-section';
import { HELD_SHOWN_MAX } from './quarantine-section';

const PAGE = 50;
/** Prefix of a ticked record's field. */
const TICK = 'op:';

const pageSchema = quarantineGroupsParamsSchema
  .omit({ by: true })
  .extend({ after: quarantineParamsSchema.shape.since });
const actionSchema = quarantineGroupsParamsSchema
  .omit({ by: true })
  .extend({
    do: z.enum(['release', 'dismiss', 'restore']),
    upTo: z.coerce.number().int().min(0).optional(),
    sure: z.literal('yes').optional(),
  });

export type CallApi = (
  request: FastifyRequest,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object,
) => Promise<Record<string, unknown>>;

/** Pages of records on hold: a group or a search, by pages, with actions on those selected and on all. */
export function heldRoutes(scope: FastifyInstance, context: CloudContext, callApi: CallApi): void {
  const quarantine = (filter: QuarantineFilter, more: Readonly<Record<string, string>>): string =>
    new URLSearchParams({ ...filterFields(filter), ...more }).toString();

  scope.get('/console/held', async (request, reply) => {
    const { after, ...rest } = parseForm(pageSchema, withoutEmpty(request.query));
    const filter: QuarantineFilter = rest;
    const [listed, grouped, boxes] = await Promise.all([
      callApi(request, 'GET', `/api/quarantine?${quarantine(filter, { since: String(after), limit: String(PAGE) })}`),
      callApi(request, 'GET', `/api/quarantine/groups?${quarantine(filter, { by: 'submitter' })}`),
      context.boxes.list(),
    ]);
    const items = listed['items'] as unknown as readonly QuarantinedOp[];
    return sendPage(
      reply,
      heldPage({
        filter,
        items,
        submitters: grouped['groups'] as unknown as readonly QuarantineGroup[],
        total: Number(grouped['total']),
        next: listed['more'] === true ? Number(listed['next']) : null,
        boxes,
        theme: themeOf(request, reply, CONSOLE_PATH),
      }),
    );
  });

  scope.post('/console/held', async (request, reply) => {
    const { do: action, upTo, sure, ...rest } = parseForm(actionSchema, withoutEmpty(request.body));
    const filter: QuarantineFilter = rest;
    const theme = themeOf(request, reply, CONSOLE_PATH);
    if (upTo !== undefined && action !== 'restore') {
      if (sure === undefined) {
        const { total } = await callApi(request, 'GET', `/api/quarantine/groups?${quarantine(filter, {})}`);
        const title = action === 'release' ? 'Release all of them?' : 'Dismiss all of them?';
        return sendPage(reply, notePage(title, sureSection(action, { filter, count: Number(total), upTo }), theme));
      }
      const group = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const { done, left = 0 } = await callApi(request, 'POST', `/api/quarantine/${action}`, { group, upTo });
      const body = html`<p>${formatCount(Number(done), 'record')} ${action === 'release' ? 'released' : 'dismissed'}.</p>${Number(left) === 0 ? '' : sureSection(action, { filter, count: Number(left), upTo })}`;
      return sendPage(reply, notePage(Number(left) === 0 ? 'Done' : 'There are more', body, theme));
    }
    const opIds = Object.keys(request.body as object).flatMap((name) =>
      name.startsWith(TICK) ? [name.slice(TICK.length)] : [],
    );
    if (opIds.length === 0)
      return sendPage(reply, notePage('Nothing is ticked', html`<p>Tick the records first.</p>`, theme), 400);
    await callApi(request, 'POST', `/api/quarantine/${action}`, { opIds });
    return reply.redirect(heldAddress(filter), 303);
  });
}

/** Held records: one by one if they are few, else in groups. */
export async function loadHeld(get: (url: string) => Promise<Record<string, unknown>>): Promise<HeldRecords> {
  const [{ groups, total }, dismissed] = await Promise.all([
    get('/api/quarantine/groups'),
    get('/api/quarantine/groups?dismissed=true'),
  ]);
  const isFew = Number(total) <= HELD_SHOWN_MAX;
  return {
    items: isFew
      ? ((await get(`/api/quarantine?limit=${HELD_SHOWN_MAX}`))['items'] as unknown as HeldRecords['items'])
      : [],
    groups: groups as unknown as HeldRecords['groups'],
    total: Number(total),
    dismissed: Number(dismissed['total']),
  };
}

/** Fields that a form sent empty are absent. */
function withoutEmpty(fields: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries((fields ?? {}) as object).filter(([, value]) => value !== ''));
}
