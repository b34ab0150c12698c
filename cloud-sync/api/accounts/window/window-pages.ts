import { html, type Html, type HtmlValue } from '../../../../src/server/pages/html';
import { page } from '../../../../src/server/pages/page';
import { note } from '../../../../src/server/pages/page-parts';
import { PAGE_STYLE_SOURCE } from '../../../../src/server/pages/page-style';

export const WINDOW_PATH = '/api/auth/window';

/** Forms of this page go to this server alone, and no other page frames it. */
export const WINDOW_POLICY = [
  "default-src 'none'",
  `style-src ${PAGE_STYLE_SOURCE}`,
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export interface WindowPage {
  readonly state: string;
  /** Page that the person comes from. */
  readonly origin: string;
  readonly email: string;
  readonly step: 'email' | 'code' | 'password';
  readonly problem: string | null;
}

/** Sign-in page of the cloud, for the app of another origin. */
export function windowPage({ state, origin, email, step, problem }: WindowPage): Html {
  const { host } = new URL(origin);
  return page(
    'Sign in to the census',
    html`<p class="lead">This is the shore’s own page. You sign in for the app that you opened at <b>${host}</b>. Continue only if you opened it yourself.</p>
${problem === null ? '' : note('look', html`<p>${problem}</p>`, 'alert')}
<section class="card"><form method="post" action="${WINDOW_PATH}"><input type="hidden" name="state" value="${state}">${fields(step, email)}</form></section>`,
  );
}

function fields(step: WindowPage['step'], email: string): HtmlValue {
  const known = html`<input type="hidden" name="email" value="${email}">`;
  switch (step) {
    case 'email':
      return html`<label for="email">Your email address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="email" value="${email}" autofocus><p class="actions"><button class="button" name="step" value="mail">Email me a code</button><button class="button line" name="step" value="use-password">Use a password</button></p>`;
    case 'code':
      return html`${known}<p>A code is on its way to <b>${email}</b>. It may take a minute; look among unwanted mail too.</p><label for="code">Verification code</label><input id="code" name="code" required maxlength="40" autocomplete="one-time-code" inputmode="numeric" autofocus><p class="actions"><button class="button" name="step" value="code">Sign in</button><button class="button line" name="step" value="start" formnovalidate>Another address or a new code</button></p>`;
    case 'password':
      return html`${known}<p>Signing in as <b>${email}</b></p><label for="password">Password</label><input id="password" name="password" type="password" required maxlength="200" autocomplete="current-password" autofocus><p class="actions"><button class="button" name="step" value="password">Sign in</button><button class="button line" name="step" value="start" formnovalidate>Use a code instead</button></p>`;
  }
}
