/** Address of the console's one script. */
export const PASSKEY_SCRIPT_PATH = '/console/passkey.js';

/**
 * Script of the pages that use a passkey, for browsers of the last six years: asks the browser with the options in
 * `data-create` or `data-get` and sends its answer in the form's field `passkey`. Without it the page offers the other ways.
 */
export const PASSKEY_SCRIPT = String.raw`'use strict';
const section = document.querySelector('[data-create], [data-get]');
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (sign) => sign.charCodeAt(0));
const encoded = (buffer) =>
  buffer && btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
const named = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

async function create(options) {
  const user = { ...options.user, id: bytes(options.user.id) };
  const publicKey = { ...options, user, challenge: bytes(options.challenge), excludeCredentials: named(options.excludeCredentials) };
  const { response, ...made } = facts(await navigator.credentials.create({ publicKey }));
  return { ...made, response: { clientDataJSON: encoded(response.clientDataJSON), attestationObject: encoded(response.attestationObject), transports: response.getTransports ? response.getTransports() : [] } };
}

async function get(options) {
  const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials: named(options.allowCredentials) };
  const { response, ...shown } = facts(await navigator.credentials.get({ publicKey }));
  return { ...shown, response: { clientDataJSON: encoded(response.clientDataJSON), authenticatorData: encoded(response.authenticatorData), signature: encoded(response.signature), userHandle: encoded(response.userHandle) || undefined } };
}

function facts(credential) {
  return { id: credential.id, rawId: credential.id, type: credential.type, clientExtensionResults: {}, response: credential.response };
}

if (section && window.PublicKeyCredential) {
  const form = section.querySelector('form');
  const problem = section.querySelector('[role=alert]');
  section.querySelector('.unsupported').hidden = true;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const { create: made, get: known } = section.dataset;
    try {
      form.elements.passkey.value = JSON.stringify(await (made ? create(JSON.parse(made)) : get(JSON.parse(known))));
    } catch {
      problem.hidden = false;
      return;
    }
    form.submit();
  });
}
`;
