import { createHash } from 'node:crypto';
import type { PopupMessage } from '../../../../src/protocol/accounts';
import { html, trustedHtml, type Html } from '../../../../src/server/pages/html';
import { page } from '../../../../src/server/pages/page';
import { PAGE_STYLE_SOURCE } from '../../../../src/server/pages/page-style';

/**
 * Script of the popup's last page: it notifies the window that opened it, at the allowed origin only. If the provider's
 * page cut that link (`Cross-Origin-Opener-Policy`), it broadcasts to the origin's pages in this browser, and the one
 * that knows the state acknowledges; an app at another origin gets it through its page `/sign-in`. The script is
 * constant, so that the policy can name its hash; the message is data in the page.
 */
const SCRIPT = `(() => {
  const { message: text, origin } = document.getElementById('said').dataset;
  const message = JSON.parse(text);
  const show = (id) => {
    for (const one of ['told', 'alone']) document.getElementById(one).hidden = one !== id;
  };
  const told = () => {
    show('told');
    window.close();
  };
  if (window.opener && !window.opener.closed) {
    window.opener.postMessage(message, origin);
    told();
  } else if (origin !== window.location.origin) {
    window.location.replace(origin + '/sign-in#turn=' + encodeURIComponent(text));
  } else {
    const channel = new BroadcastChannel('reef-sign-in');
    const late = setTimeout(() => show('alone'), 3000);
    channel.onmessage = ({ data }) => {
      if (!data || data.heard !== message.state) return;
      clearTimeout(late);
      told();
    };
    channel.postMessage(message);
  }
})();`;

export const POPUP_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  `style-src ${PAGE_STYLE_SOURCE}`,
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param origin origin of the window that gets the message */
export function popupPage(message: PopupMessage, origin: string): Html {
  const failed = message.error === undefined ? '' : html`<p>${message.error.message}</p>`;
  return page(
    message.error === undefined ? 'Signing in' : 'Not signed in',
    html`${failed}<div id="said" data-message="${JSON.stringify(message)}" data-origin="${origin}"></div>
<p id="told" hidden>Go back to the census. This window can be closed.</p>
<p id="alone" hidden>The window that started this sign-in is closed, so you are not signed in. Close this one, open the census and sign in again there; a code by mail works, too.</p>
<noscript><p>This browser blocks scripts, so you are not signed in. Close this window and sign in with a code by email.</p></noscript>
<script>${trustedHtml(SCRIPT)}</script>`,
  );
}

/** Page for a provider's answer without a pending sign-in: there is no window to notify. */
export function expiredSignInPage(): Html {
  return page(
    'This sign-in is over',
    html`<p>This sign-in was already finished, took too long, or started elsewhere. You are not signed in. Close this window, open the census and sign in again there.</p>`,
  );
}
