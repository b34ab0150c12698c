import { createHmac } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import { parseForm } from '../../src/server/http/parse';
import type { EdgeContext } from '../context';
import { secretsEqual } from '../pairing/pairing';
import { endSessionSchema } from '../../src/protocol/edge-http';
import { endAccess } from '../sign-in/end-access';
import { sendBridgeCommand } from '../bridge/bridge-routes';

const formSchema = z.object({
  action: z.enum(['pause', 'resume', 'verify', 'end', 'unpair', 'new-code', 'retry-pictures']),
  form: z.string(),
  id: endSessionSchema.shape.id.optional(),
});
type ConsoleForm = z.infer<typeof formSchema>;

/** CSRF token: a browser sends the console's password with any page's post, but no other page can read this. */
export function csrfToken({ adminToken }: Pick<EdgeContext, 'adminToken'>): string {
  return createHmac('sha256', adminToken).update('console form').digest('base64url');
}

/** `POST /edge/console`: the console's buttons. The browser then reloads the page. */
export function consoleForms(app: FastifyInstance, context: EdgeContext): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 10_000 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    scope.post('/edge/console', async (request, reply) => {
      requireSameSite(request);
      const pressed = parseForm(formSchema, request.body);
      if (!secretsEqual(pressed.form, csrfToken(context))) throw foreignPageError();
      return reply.redirect(`/edge/console#${await execute(context, pressed)}`, 303);
    });
  });
}

/** Executes a button; returns the section to show. */
async function execute(
  context: EdgeContext,
  { action, id = '' }: ConsoleForm,
): Promise<'shore' | 'sessions' | 'pair' | 'aboard'> {
  switch (action) {
    case 'end':
    case 'unpair':
      endAccess(context, null, { id, unpair: action === 'unpair' });
      return 'sessions';
    case 'new-code':
      context.pairing.renewCode();
      return 'pair';
    case 'retry-pictures':
      await context.variants.retryBroken();
      return 'aboard';
    default:
      sendBridgeCommand(context, action);
      return 'shore';
  }
}

/** @throws ReefError `forbidden` if the browser reports another site as the sender */
export function requireSameSite({ headers }: Pick<FastifyRequest, 'headers'>): void {
  const from = headers['sec-fetch-site'];
  if (from !== undefined && from !== 'same-origin' && from !== 'none') throw foreignPageError();
}

function foreignPageError(): ReefError {
  return new ReefError('forbidden', {
    field: 'form',
    message: 'This did not come from the console’s own page. Open the console again, then press the button there.',
  });
}
