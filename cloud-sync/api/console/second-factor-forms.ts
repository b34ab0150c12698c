import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { toReefError } from '../../../src/server/http/errors';
import { parseForm } from '../../../src/server/http/parse';
import { sendPage, themeOf } from '../../../src/server/pages/page';
import {
  recoveryCodesPage,
  secondFactorIntroPage,
  secondFactorPage,
  secondFactorSetupPage,
} from './second-factor-page';

const CONSOLE_PATH = '/console';

const secondFactorSchema = z.object({
  step: z.enum(['begin', 'confirm', 'code', 'recovery']),
  code: z.string().max(60).default(''),
});

/** Calls a route of the service with the console's session. @throws ReefError of that route */
type CallApi = (
  request: FastifyRequest,
  method: 'POST',
  url: string,
  payload: object,
) => Promise<Record<string, unknown>>;

/** Forms of the console's second step: to set it up and to pass it. */
export function secondFactorForms(scope: FastifyInstance, callApi: CallApi): void {
  scope.post('/console/second-factor', async (request, reply) => {
    const { step, code } = parseForm(secondFactorSchema, request.body);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    try {
      if (step === 'begin') {
        const { secret, uri } = await callApi(request, 'POST', '/api/account/second-factor/codes', {});
        return await sendPage(
          reply,
          await secondFactorSetupPage({ theme, wrong: null, secret: String(secret), uri: String(uri) }),
        );
      }
      if (step === 'confirm') {
        const made = await callApi(request, 'POST', '/api/account/second-factor/codes/confirm', { code });
        return await sendPage(reply, recoveryCodesPage(made['recoveryCodes'] as readonly string[], theme));
      }
      await callApi(request, 'POST', '/api/auth/second-factor', step === 'code' ? { code } : { recoveryCode: code });
      return await reply.redirect('/console', 303);
    } catch (error) {
      const { status, message: wrong } = toReefError(error);
      const answer =
        step === 'begin'
          ? secondFactorIntroPage({ theme, wrong })
          : step === 'confirm'
            ? await secondFactorSetupPage({ theme, wrong })
            : secondFactorPage({ theme, wrong, codes: true });
      return sendPage(reply, answer, status);
    }
  });
}
