import QRCode from 'qrcode';
import type { Theme } from '../../../src/domain/theme';
import { html, trustedHtml, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { note } from '../../../src/server/pages/page-parts';
import { PASSKEY_SCRIPT_PATH } from './passkey-script';

interface StepPage {
  readonly theme: Theme;
  readonly wrong: string | null;
}

const SIGN_OUT = html`<form method="post" action="/console/sign-out" class="actions"><button class="button line">Sign out</button></form>`;

/** Options of WebAuthn for the browser, as the service writes them in JSON. */
export type PasskeyOptions = { readonly [member: string]: unknown };

/** Ways by which a session can pass; `passkey` is null without one, and at an address that has none. */
export interface StepWays {
  readonly codes: boolean;
  readonly passkey: PasskeyOptions | null;
}

/** Asks staff for their second step. */
export function secondFactorPage({ theme, wrong, codes, passkey: options }: StepPage & StepWays): Html {
  const passkey =
    options === null
      ? ''
      : passkeySection({
          title: 'With a passkey',
          options,
          use: 'get',
          form: html`<input type="hidden" name="step" value="passkey"><p>Your browser asks for the finger, face, PIN or security key that you set up.</p><p class="actions"><button class="button">Use a passkey</button></p>`,
        });
  const code = codes
    ? html`<section class="card" aria-labelledby="with-code"><h2 id="with-code">With a code from your app</h2><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="code"><label for="code">The six digits that your app shows now</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric"${options === null ? html` autofocus` : ''}><p class="actions"><button class="button">Continue</button></p></form></section>`
    : '';
  return stepPage(
    'Confirm that it is you',
    html`<p class="lead">You run the census, so a mailed code alone does not open this console.</p>${wrongNote(wrong)}${passkey}${code}<section class="card" aria-labelledby="with-recovery"><h2 id="with-recovery">With a recovery code</h2><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="recovery"><label for="recovery">One of the codes that you wrote down; it works once</label><input id="recovery" name="code" required maxlength="60" autocomplete="off"><p class="actions"><button class="button line">Continue with it</button></p></form><p class="small">Lost all of it? Ask another person of the staff, or the operator of the server.</p></section>${SIGN_OUT}`,
    theme,
  );
}

/** Explains the second step to staff who have none. */
export function secondFactorIntroPage({ theme, wrong }: StepPage): Html {
  return stepPage(
    'Set up your second step',
    html`<p class="lead">You run the census. Before your first act here, set up a second step, so that someone who reads your mail cannot act in your name.</p>${wrongNote(wrong)}<div class="pair"><section class="card" aria-labelledby="by-app"><h2 id="by-app">Codes from an app</h2><p>An authenticator app, on a phone for example, shows a new code every half minute.</p><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="begin"><p class="actions"><button class="button">Set up one-time codes</button></p></form></section><section class="card" aria-labelledby="by-passkey"><h2 id="by-passkey">A passkey</h2><p>This device, a phone or a security key asks for your finger, face, PIN or touch.</p><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="begin-passkey"><p class="actions"><button class="button line">Add a passkey</button></p></form></section></div>${SIGN_OUT}`,
    theme,
  );
}

/** Secret for an authenticator app, or after a wrong code only the field for the next one. */
export async function secondFactorSetupPage({
  theme,
  wrong,
  secret,
  uri,
}: StepPage & { readonly secret?: string; readonly uri?: string }): Promise<Html> {
  const picture =
    secret === undefined || uri === undefined
      ? ''
      : html`<div class="side"><figure role="img" aria-label="Code to scan with the authenticator app">${trustedHtml(await QRCode.toString(uri, { type: 'svg', margin: 1, errorCorrectionLevel: 'M' }))}</figure><div><p>Scan this with your authenticator app, or type the key there:</p><p class="address mono">${(secret.match(/.{1,4}/g) ?? []).join(' ')}</p></div></div>`;
  return stepPage(
    'Set up one-time codes',
    html`${wrongNote(wrong)}<section class="card">${picture}<form method="post" action="/console/second-factor"><input type="hidden" name="step" value="confirm"><label for="code">The six digits that the app shows now</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric" autofocus><p class="actions"><button class="button">Set it up</button><a class="button line" href="/console">Begin again</a></p></form></section>`,
    theme,
  );
}

/** Form that adds a passkey. */
export function passkeySetupPage({ theme, wrong, options }: StepPage & { readonly options: PasskeyOptions }): Html {
  const section = passkeySection({
    title: 'Name it first',
    options,
    use: 'create',
    form: html`<input type="hidden" name="step" value="confirm-passkey"><label for="name">To tell it from others, such as “My phone”</label><input id="name" name="name" required maxlength="80" autocomplete="off" autofocus><p class="actions"><button class="button">Add the passkey</button><a class="button line" href="/console">Begin again</a></p>`,
  });
  return stepPage('Add a passkey', html`${wrongNote(wrong)}${section}`, theme);
}

/** Section whose form the console's script sends with the browser's answer. */
function passkeySection({
  title,
  options,
  use,
  form,
}: {
  readonly title: string;
  readonly options: PasskeyOptions;
  readonly use: 'create' | 'get';
  readonly form: Html;
}): Html {
  const data = JSON.stringify(options);
  const attribute = use === 'create' ? html`data-create="${data}"` : html`data-get="${data}"`;
  return html`<section class="card" aria-labelledby="with-passkey" ${attribute}><h2 id="with-passkey">${title}</h2><p class="unsupported">This browser knows no passkeys here, or runs no scripts. Use another way.</p><div role="alert" hidden><p>The browser gave no passkey. Nothing was changed. Try again, or use a code.</p></div><form method="post" action="/console/second-factor" hidden><input type="hidden" name="passkey">${form}</form><script src="${PASSKEY_SCRIPT_PATH}" defer></script></section>`;
}

/** Recovery codes, shown this once. */
export function recoveryCodesPage(codes: readonly string[], theme: Theme): Html {
  const list = html`<ul class="codes mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>`;
  return stepPage(
    'Your second step is set up',
    html`<section class="card" aria-labelledby="recovery"><h2 id="recovery">Recovery codes</h2><p>Each works once, if you lose your app or passkey. Write them down and keep them away from this device: they are not shown again.</p>${list}<p class="actions"><a class="button" href="/console">I wrote them down</a></p></section>`,
    theme,
  );
}

function wrongNote(wrong: string | null): HtmlValue {
  return wrong === null ? '' : note('look', html`<p>${wrong}</p>`, 'alert');
}

function stepPage(title: string, body: Html, theme: Theme): Html {
  return page(title, body, { of: 'Great Reef Census, ashore', theme });
}
