import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isObject } from '../../../src/domain/json';
import { toReefError } from '../../../src/server/http/errors';
import { parseForm } from '../../../src/server/http/parse';
import type { Html } from '../../../src/server/pages/html';
import type { Theme } from '../../../src/domain/theme';
import { sendPage, themeOf } from '../../../src/server/pages/page';
import { CONSOLE_PATH } from './console-path';
import { PASSKEY_SCRIPT, PASSKEY_SCRIPT_PATH } from './passkey-script';
import type { PasskeyOptions, StepWays } from './second-factor-page';
import {
  passkeySetupPage,
  recoveryCodesPage,
  secondFactorIntroPage,
  secondFactorPage,
  secondFactorSetupPage,
} from './second-factor-page';

const ACCOUNT = '/api/account/second-factor';
const PASS = '/api/auth/second-factor';

const secondFactorSchema = z.object({
  step: z.enum(['begin', 'confirm', 'code', 'recovery', 'begin-passkey', 'confirm-passkey', 'passkey']),
  code: z.string().max(60).default(''),
  name: z.string().max(80).default(''),
  /** Answer of the browser, in JSON. */
  passkey: z.string().max(16_000).default(''),
});
type SecondFactorForm = z.infer<typeof secondFactorSchema>;

/** Calls a route of the service with the console's session. @throws ReefError of that route */
type CallApi = (
  request: FastifyRequest,
  method: 'POST',
  url: string,
  payload: object,
) => Promise<Record<string, unknown>>;

/** Page that asks for the second step. @param wrong what went wrong before; null at first */
export async function askSecondFactor(
  request: FastifyRequest,
  callApi: CallApi,
  wrong: string | null,
  theme: Theme,
): Promise<Html> {
  const { codes, passkey } = await callApi(request, 'POST', '/api/auth/second-factor/start', {});
  const ways: StepWays = { codes: codes === true, passkey: isObject(passkey) ? passkey : null };
  return secondFactorPage({ theme, wrong, ...ways });
}

/** Forms of the console's second step: to set it up and to pass it. */
export function secondFactorForms(scope: FastifyInstance, callApi: CallApi): void {
  scope.get(PASSKEY_SCRIPT_PATH, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('Cache-Control', 'no-cache').send(PASSKEY_SCRIPT),
  );

  scope.post('/console/second-factor', async (request, reply) => {
    const form = parseForm(secondFactorSchema, request.body);
    const theme = themeOf(request, reply, CONSOLE_PATH);
    try {
      const next = await advance(request, callApi, form, theme);
      return await (next === 'passed' ? reply.redirect('/console', 303) : sendPage(reply, next));
    } catch (error) {
      const { status, message } = toReefError(error);
      return sendPage(reply, await retryPage(request, callApi, form.step, message, theme), status);
    }
  });
}

/** Executes a step; returns the next page. @throws ReefError of the service's route */
async function advance(
  request: FastifyRequest,
  callApi: CallApi,
  { step, code, name, passkey }: SecondFactorForm,
  theme: Theme,
): Promise<Html | 'passed'> {
  const call = (place: string, payload: object) => callApi(request, 'POST', place, payload);
  const recoveryPage = ({ recoveryCodes }: Record<string, unknown>) =>
    recoveryCodesPage(recoveryCodes as readonly string[], theme);
  switch (step) {
    case 'begin': {
      const { secret, uri } = await call(`${ACCOUNT}/codes`, {});
      return secondFactorSetupPage({ theme, wrong: null, secret: String(secret), uri: String(uri) });
    }
    case 'confirm':
      return recoveryPage(await call(`${ACCOUNT}/codes/confirm`, { code }));
    case 'begin-passkey': {
      const { options } = await call(`${ACCOUNT}/passkeys`, {});
      return passkeySetupPage({ theme, wrong: null, options: options as PasskeyOptions });
    }
    case 'confirm-passkey':
      return recoveryPage(await call(`${ACCOUNT}/passkeys/confirm`, { name, response: parsedJson(passkey) }));
    case 'passkey':
      await call(PASS, { passkey: parsedJson(passkey) });
      return 'passed';
    default:
      await call(PASS, step === 'code' ? { code } : { recoveryCode: code });
      return 'passed';
  }
}

/** Answer of a browser; undefined, which the route refuses, if it is no JSON. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Page for another try at a step. */
async function retryPage(
  request: FastifyRequest,
  callApi: CallApi,
  step: SecondFactorForm['step'],
  wrong: string,
  theme: Theme,
): Promise<Html> {
  if (step === 'confirm') return secondFactorSetupPage({ theme, wrong });
  if (step === 'begin' || step === 'begin-passkey' || step === 'confirm-passkey')
    return secondFactorIntroPage({ theme, wrong });
  return askSecondFactor(request, callApi, wrong, theme);
}
