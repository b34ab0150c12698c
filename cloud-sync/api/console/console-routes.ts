import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { isObject } from '../../../src/domain/json';
import type { ImportDone } from '../../../src/protocol/bundle';
import type { CloudUser } from '../../../src/protocol/cloud-auth';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import { toReefError } from '../../../src/server/http/errors';
import { fieldText, formParts } from '../../../src/server/http/multipart';
import { html } from '../../../src/server/pages/html';
import { themeOf, sendPage } from '../../../src/server/pages/page';
import { parseForm } from '../../../src/server/http/parse';
import { noteRefusal } from '../access/guard';
import type { CloudContext } from '../context';
import { toDatabaseError } from '../postgres/database-error';
import type { CloudSettings } from '../settings';
import { isPublicHttps } from '../settings';
import { withRequestBody, voucherOf } from '../bundles/bundle-routes';
import { aboardPage } from './aboard-page';
import { CONSOLE_PATH } from './console-path';
import { datasetPages } from './dataset-pages';
import { errorRoutes } from './error-routes';
import { figurePages } from './figure-pages';
import { heldRoutes, loadHeld } from './held-routes';
import type { FleetPage } from './fleet-page';
import { askSecondFactor, secondFactorForms } from './second-factor-forms';
import { secondFactorIntroPage } from './second-factor-page';
import { importSummaryText, fleetPage, notePage, revokePage, signInPage } from './fleet-page';

/** Name of the console's cookie: with `__Secure-`, browsers accept and send it over https alone. */
const cookieName = (settings: CookieSettings): string => `${isPublicHttps(settings) ? '__Secure-' : ''}reef-console`;
type CookieSettings = Pick<CloudSettings, 'publicUrl'>;
const PICTURES_SHOWN = 500;

const signInSchema = z.object({ email: z.string().max(254), code: z.string().max(40).optional() });
const boxSchema = z.object({ name: z.string().trim().min(1, 'must not be empty').max(80) });
const revokeSchema = z.object({ node: z.string().regex(/^[0-9A-Za-z]{12,19}$/), sure: z.literal('yes').optional() });
const releaseSchema = z.object({ opId: z.string().max(64) });

/**
 * Takes the console's session from a cookie, before the guard runs: its pages are plain forms. It counts only below
 * `/console` and from this origin (`SameSite=Strict`); other routes need a bearer token.
 */
export function consoleCookie(app: FastifyInstance, settings: CookieSettings): void {
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.url?.startsWith('/console')) return;
    if (request.method === 'POST') requireSameOrigin(request);
    const session = sessionCookie(request, settings);
    if (session !== undefined) request.headers.authorization = `Bearer ${session}`;
  });
}

/** Fleet console for staff: server-rendered pages over the API routes, without script but for passkeys. */
export function consoleRoutes(app: FastifyInstance, context: CloudContext): void {
  const callApi = async (
    request: FastifyRequest,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    url: string,
    payload?: object,
  ): Promise<Record<string, unknown>> => {
    const { authorization } = request.headers;
    const origin = originOf(request, context.settings);
    const answer = await app.inject({
      method,
      url,
      remoteAddress: request.ip,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(context.origins.allows(origin) ? { origin } : {}),
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const body: unknown = answer.json();
    if (!isObject(body)) throw new ReefError('internal');
    if (answer.statusCode >= 400) throw ReefError.fromWire(isObject(body['error']) ? body['error'] : {});
    return body;
  };

  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 20_000 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
    scope.setErrorHandler((thrown, request, reply) => {
      const error = toDatabaseError(thrown) ?? toReefError(thrown);
      if (error.code === 'internal') context.log.error({ err: thrown }, 'a page of the console failed');
      noteRefusal(context, request, error);
      const confirm =
        typeof error.details['confirm'] === 'string'
          ? html`<p>If it is the same: import the file again and type the key <b class="mono">${error.details['confirm']}</b> beside it.</p>`
          : '';
      return sendPage(
        reply,
        notePage('That was not done', html`<p>${error.message}</p>${confirm}`, themeOf(request, reply, CONSOLE_PATH)),
        error.status,
      );
    });

    scope.get('/console', async (request, reply) => {
      const theme = themeOf(request, reply, CONSOLE_PATH);
      const user = await signedInUser(request, callApi);
      if (user === undefined) return sendPage(reply, signInPage({ email: null, wrong: null, theme }));
      const factor = user.secondFactor;
      if (factor !== undefined && factor.status !== 'passed' && factor.roles.includes('staff')) {
        if (factor.status === 'missing') return sendPage(reply, secondFactorIntroPage({ theme, wrong: null }));
        return sendPage(reply, await askSecondFactor(request, callApi, null, theme));
      }
      if (!request.cloudCaller.roles.has('staff'))
        return sendPage(
          clearCookie(reply, context),
          signInPage({
            email: null,
            wrong: `${user.email} is not one of the people who run the census. Sign in with another address, or ask one of them.`,
            theme,
          }),
          403,
        );
      return sendPage(
        reply,
        fleetPage({ ...(await loadFleet(context, user.email, (url) => callApi(request, 'GET', url))), theme }),
      );
    });

    scope.post('/console/sign-in', async (request, reply) => {
      const { email, code } = parseForm(signInSchema, request.body);
      const theme = themeOf(request, reply, CONSOLE_PATH);
      try {
        if (code === undefined) {
          await callApi(request, 'POST', '/api/fn/send-user-login-code', { email, path: '/console' });
          return await sendPage(reply, signInPage({ email, wrong: null, theme }));
        }
        const { token } = await callApi(request, 'POST', '/api/fn/verify-user-login-code', {
          email,
          verificationCode: code,
        });
        const { session } = await callApi(request, 'POST', '/api/auth/custom-token', { token });
        return await reply.header('Set-Cookie', setCookieValue(context, String(session))).redirect('/console', 303);
      } catch (error) {
        const { status, message } = toReefError(error);
        return sendPage(reply, signInPage({ email: code === undefined ? null : email, wrong: message, theme }), status);
      }
    });

    secondFactorForms(scope, callApi);

    scope.post('/console/sign-out', async (request, reply) => {
      await callApi(request, 'POST', '/api/auth/sign-out', {});
      return clearCookie(reply, context).redirect('/console', 303);
    });

    scope.post('/console/boxes', async (request, reply) => {
      const { name } = parseForm(boxSchema, request.body);
      const { token } = await callApi(request, 'POST', '/api/fleet/boxes', { name });
      const body = html`<p>Its token, shown this once. Set it as <span class="mono">BRIDGE_TOKEN</span> where its bridge runs:</p><p class="address mono">${String(token)}</p><p class="small">Anyone who has it can send records as this box: do not send it by mail. It cannot be shown again; if it is lost, register the box again.</p>`;
      return sendPage(reply, notePage(`${name} is registered`, body, themeOf(request, reply, CONSOLE_PATH)));
    });

    scope.post('/console/boxes/revoke', async (request, reply) => {
      const { node, sure } = parseForm(revokeSchema, request.body);
      if (sure === undefined) {
        const [boxes, unused] = await Promise.all([context.boxes.list(), context.boxes.listUnused()]);
        const box = boxes.find((one) => one.node === node);
        const token = box === undefined ? unused.find((one) => one.id === node) : undefined;
        return sendPage(
          reply,
          revokePage(
            node,
            box?.name || token?.name || node,
            token !== undefined,
            themeOf(request, reply, CONSOLE_PATH),
          ),
        );
      }
      await callApi(request, 'POST', `/api/fleet/boxes/${node}/revoke`, {});
      return reply.redirect('/console#boxes', 303);
    });

    scope.post('/console/quarantine', async (request, reply) => {
      const { opId } = parseForm(releaseSchema, request.body);
      await callApi(request, 'POST', `/api/quarantine/${encodeURIComponent(opId)}/release`, {});
      return reply.redirect('/console#held', 303);
    });

    heldRoutes(scope, context, callApi);
    errorRoutes(scope, callApi);
    datasetPages(scope, context, callApi);
    figurePages(scope, callApi);

    scope.post('/console/pictures', async (_request, reply) => {
      await context.variantJobs.requestAgain(await context.variants.retryBroken());
      return reply.redirect('/console', 303);
    });

    scope.post('/console/import', async (request, reply) => {
      if (!(request.body instanceof Readable))
        throw new ReefError('bad-message', { field: 'bundle', message: 'Choose a file first.' });
      request.raw.socket.setTimeout(0);
      const { id, name, done } = await withRequestBody(request.body, (source) =>
        importUploadedBundle(context, request, source),
      );
      const body = html`<p>${importSummaryText(done)}.</p><p>The box does not know this yet. Take the receipts back to it (there: <span class="mono">npm run edge -- import-receipts</span>), or let its bridge deliver them.</p><p class="actions"><a class="button line" href="/console/receipts/${id}">Save the receipts</a></p>`;
      return sendPage(
        reply,
        notePage(`The drive of ${name} was imported`, body, themeOf(request, reply, CONSOLE_PATH)),
      );
    });

    scope.get<{ Params: { node: string } }>('/console/aboard/:node', async (request, reply) => {
      const { node } = request.params;
      const box = (await context.boxes.list()).find((one) => one.node === node);
      if (box === undefined) throw new ReefError('not-found', { message: 'No box of this name has called.' });
      return sendPage(
        reply,
        aboardPage({
          name: box.name,
          theme: themeOf(request, reply, CONSOLE_PATH),
          ...(await context.previews.listAboard(node, PICTURES_SHOWN)),
        }),
      );
    });

    scope.get<{ Params: { sha256: string } }>('/console/previews/:sha256', async (request, reply) => {
      const picture = await context.previews.picture(request.params.sha256);
      if (picture === undefined) throw new ReefError('not-found', { message: 'This photograph is ashore by now.' });
      return reply.type('image/webp').header('Cache-Control', 'private, max-age=86400').send(picture);
    });

    scope.get<{ Params: { id: string } }>('/console/receipts/:id', async (request, reply) => {
      const file = await context.bundles.imports.receiptsFile(request.params.id);
      if (file === undefined)
        throw new ReefError('not-found', {
          message:
            'These receipts are no longer here. Import the same bundle again: nothing changes, and you get them again.',
        });
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .header('Cache-Control', 'no-store')
        .header('Content-Disposition', `attachment; filename="${request.params.id}.receipts.json"`)
        .send(createReadStream(file));
    });
  });
}

async function importUploadedBundle(
  context: CloudContext,
  request: FastifyRequest,
  source: AsyncIterable<Uint8Array>,
): Promise<{ id: string; name: string; done: ImportDone }> {
  let confirm = '';
  for await (const part of formParts(source, request.headers['content-type'])) {
    if (part.name === 'confirm') confirm = (await fieldText(part)).trim();
    if (part.name !== 'bundle' || !part.isFile) continue;
    const begun = await context.bundles.imports.start(part.bytes(), (node) =>
      voucherOf(context, request, node, confirm === '' ? null : confirm),
    );
    const imported: { name: string; done?: ImportDone } = { name: '' };
    for await (const line of begun.lines()) {
      if ('bundle' in line) imported.name = line.bundle.name;
      if ('done' in line) imported.done = line.done;
    }
    if (imported.done === undefined) throw new ReefError('internal');
    return { id: begun.id, name: imported.name, done: imported.done };
  }
  throw new ReefError('bad-message', { field: 'bundle', message: 'Choose a file first.' });
}

async function loadFleet(
  context: CloudContext,
  email: string,
  get: (url: string) => Promise<Record<string, unknown>>,
): Promise<Omit<FleetPage, 'theme'>> {
  const { bundles, clock, errorGroups, previews, variants } = context;
  const [fleet, aboard, keys, imports, held, broken, errors] = await Promise.all([
    get('/api/fleet'),
    previews.countByBox(),
    bundles.boxKeys.list(),
    bundles.boxKeys.imports(20),
    loadHeld(get),
    variants.broken(),
    errorGroups.count(),
  ]);
  return {
    now: clock(),
    email,
    boxes: fleet['boxes'] as unknown as FleetBox[],
    registered: fleet['registered'] as unknown as FleetPage['registered'],
    keys,
    imports,
    held,
    aboard,
    recipient: bundles.sealKeys.recipient,
    brokenPictures: broken.length,
    openErrors: errors.open,
  };
}

async function signedInUser(
  request: FastifyRequest,
  callApi: (request: FastifyRequest, method: 'GET', url: string) => Promise<Record<string, unknown>>,
): Promise<CloudUser | undefined> {
  if (!request.cloudCaller.roles.has('person')) return undefined;
  return (await callApi(request, 'GET', '/api/me'))['user'] as unknown as CloudUser;
}

/** @throws ReefError `forbidden` if the browser says that another page sent the form */
function requireSameOrigin({ headers, host }: FastifyRequest): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const own = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
  if (!own || (site !== undefined && site !== 'same-origin'))
    throw new ReefError('forbidden', {
      field: 'Origin',
      message: 'This did not come from the console’s own page. Open the console again, then press the button there.',
    });
}

/** Origin of the console's page: a form names it, a link does not. */
function originOf({ headers, host, protocol }: FastifyRequest, { publicUrl, cloudUrl }: CloudSettings): string {
  const own = [publicUrl, cloudUrl].find((url) => url?.host === host);
  return headers.origin ?? own?.origin ?? `${protocol}://${host}`;
}

function sessionCookie({ headers }: FastifyRequest, settings: CookieSettings): string | undefined {
  return new RegExp(`(?:^|; *)${cookieName(settings)}=([^;]+)`).exec(headers.cookie ?? '')?.[1];
}

function setCookieValue({ settings }: CloudContext, value: string, maxAge?: number): string {
  return `${cookieName(settings)}=${value}; Path=${CONSOLE_PATH}; HttpOnly; SameSite=Strict${isPublicHttps(settings) ? '; Secure' : ''}${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`;
}

function clearCookie(reply: FastifyReply, context: CloudContext): FastifyReply {
  return reply.header('Set-Cookie', setCookieValue(context, '', 0));
}
