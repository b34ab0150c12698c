import QRCode from 'qrcode';
import type { Theme } from '../../../src/domain/theme';
import { html, trustedHtml, type Html, type HtmlValue } from '../../../src/server/pages/html';
import { page } from '../../../src/server/pages/page';
import { note } from '../../../src/server/pages/page-parts';

interface StepPage {
  readonly theme: Theme;
  readonly wrong: string | null;
}

const SIGN_OUT = html`<form method="post" action="/console/sign-out" class="actions"><button class="button line">Sign out</button></form>`;

/** Asks staff for their second step. */
export function secondFactorPage({ theme, wrong, codes }: StepPage & { readonly codes: boolean }): Html {
  const code = codes
    ? html`<section class="card" aria-labelledby="with-code"><h2 id="with-code">With a one-time code</h2><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="code"><label for="code">The six figures that your app shows now</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric" autofocus><p class="actions"><button class="button">Continue</button></p></form></section>`
    : '';
  return stepPage(
    'Your second step',
    html`<p class="lead">You run the census, so a mailed code alone does not open this console.</p>${wrongNote(wrong)}${code}<section class="card" aria-labelledby="with-recovery"><h2 id="with-recovery">With a recovery code</h2><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="recovery"><label for="recovery">One of the codes that you wrote down; it works once</label><input id="recovery" name="code" required maxlength="60" autocomplete="off"><p class="actions"><button class="button line">Continue with it</button></p></form><p class="small">Lost all of it? Ask another person of the staff, or the operator of the server.</p></section>${SIGN_OUT}`,
    theme,
  );
}

/** Explains the second step to staff who have none. */
export function secondFactorIntroPage({ theme, wrong }: StepPage): Html {
  return stepPage(
    'Set up your second step',
    html`<p class="lead">You run the census. Before your first act here, set up a second step, so that someone who reads your mail cannot act in your name.</p>${wrongNote(wrong)}<section class="card"><p>You need an authenticator app, on a phone for example. A passkey is added in the app of the census, under You, and does not open this console.</p><form method="post" action="/console/second-factor"><input type="hidden" name="step" value="begin"><p class="actions"><button class="button">Set up one-time codes</button></p></form></section>${SIGN_OUT}`,
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
    html`${wrongNote(wrong)}<section class="card">${picture}<form method="post" action="/console/second-factor"><input type="hidden" name="step" value="confirm"><label for="code">The six figures that the app shows now</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric" autofocus><p class="actions"><button class="button">Set it up</button><a class="button line" href="/console">Begin again</a></p></form></section>`,
    theme,
  );
}

/** Recovery codes, shown this once. */
export function recoveryCodesPage(codes: readonly string[], theme: Theme): Html {
  const list = html`<ul class="mono">${codes.map((code) => html`<li>${code}</li>`)}</ul>`;
  return stepPage(
    'Your second step is set up',
    html`<section class="card" aria-labelledby="recovery"><h2 id="recovery">Recovery codes</h2><p>Each works once, if you lose the app. Write them down and keep them away from this device: they are not shown again.</p>${list}<p class="actions"><a class="button" href="/console">I have them. Open the fleet</a></p></section>`,
    theme,
  );
}

function wrongNote(wrong: string | null): HtmlValue {
  return wrong === null ? '' : note('look', html`<p>${wrong}</p>`, 'alert');
}

function stepPage(title: string, body: Html, theme: Theme): Html {
  return page(title, body, { of: 'Great Reef Census, ashore', theme });
}
