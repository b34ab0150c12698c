import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import type { PasskeyOptions } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';

// Imported lazily by its users: it carries the WebAuthn library.

/**
 * Lets the browser make a passkey.
 *
 * @param options of the shore
 * @returns its answer for the shore, in JSON
 * @throws ReefError with a text for people
 */
export function makePasskey(options: PasskeyOptions): Promise<unknown> {
  return answered(() =>
    startRegistration({ optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'] }),
  );
}

/** Lets the browser show a passkey; as {@link makePasskey}. */
export function showPasskey(options: PasskeyOptions): Promise<unknown> {
  return answered(() =>
    startAuthentication({
      optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
    }),
  );
}

async function answered(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (cause) {
    const isKnown = cause instanceof WebAuthnError && cause.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
    throw new ReefError('bad-message', {
      field: 'passkey',
      message: isKnown
        ? 'This device has a passkey here already.'
        : 'The browser gave no passkey. Nothing was changed. Try again, or use a code.',
      cause,
    });
  }
}
