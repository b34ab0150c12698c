import { ReefError } from '../../../domain/errors';
import { FOUNDATION_MESSAGES } from '../../../domain/messages';
import type { SecondFactorState } from '../../../protocol/second-factor';
import type { CodesSetup, FactorOverview, FactorWays, PasskeyOptions } from '../../transport/cloud/cloud-second-factor';
import { CloudSecondFactor } from '../../transport/cloud/cloud-second-factor';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import type { RepositoryContext } from '../repository-context';

/**
 * Second factor of the signed-in person. Nothing of it is stored on the tablet.
 *
 * Every method throws a ReefError: `unauthorised` without a session, `disconnected`, or the cloud's own.
 */
export interface SecondFactorRepository {
  /** Null for a person without a role that needs one. */
  readonly state: () => Promise<SecondFactorState | null>;
  readonly overview: () => Promise<FactorOverview>;
  readonly beginCodes: () => Promise<CodesSetup>;
  /** Sets one-time codes up with a first code; returns recovery codes, if there were none. */
  readonly confirmCodes: (code: string) => Promise<readonly string[]>;
  readonly renewRecoveryCodes: () => Promise<readonly string[]>;
  readonly removeCodes: () => Promise<void>;
  /** Returns the browser's options for a new passkey. */
  readonly beginPasskey: () => Promise<PasskeyOptions>;
  /**
   * Adds the passkey that the browser made; returns recovery codes, if there were none.
   * @param response of the browser, in JSON
   */
  readonly addPasskey: (name: string, response: unknown) => Promise<readonly string[]>;
  readonly removePasskey: (id: string) => Promise<void>;
  /** Ways to pass it now. */
  readonly start: () => Promise<FactorWays>;
  /** @param response of the browser, in JSON */
  readonly passWithPasskey: (response: unknown) => Promise<void>;
  readonly passWithCode: (code: string) => Promise<void>;
  readonly passWithRecoveryCode: (recoveryCode: string) => Promise<void>;
}

export function createSecondFactorRepository({ store }: RepositoryContext): SecondFactorRepository {
  const cloud = async (): Promise<CloudSecondFactor> => {
    const [row] = await store.run(() => store.db.accounts.toArray());
    const known = row === undefined ? undefined : await store.run(() => store.db.clouds.get(row.nodeId));
    if (row === undefined || known === undefined || known.origin === null)
      throw new ReefError('unauthorised', { message: FOUNDATION_MESSAGES.notSignedIn });
    return new CloudSecondFactor(new CloudHttp(store.host, known.origin, row.session));
  };
  return {
    state: async () => (await cloud()).state(),
    overview: async () => (await cloud()).overview(),
    beginCodes: async () => (await cloud()).beginCodes(),
    confirmCodes: async (code) => (await cloud()).confirmCodes(code),
    renewRecoveryCodes: async () => (await cloud()).renewRecoveryCodes(),
    removeCodes: async () => (await cloud()).removeCodes(),
    beginPasskey: async () => (await cloud()).beginPasskey(),
    addPasskey: async (name, response) => (await cloud()).addPasskey(name, response),
    removePasskey: async (id) => (await cloud()).removePasskey(id),
    passWithPasskey: async (passkey) => (await cloud()).pass({ passkey }),
    start: async () => (await cloud()).start(),
    passWithCode: async (code) => (await cloud()).pass({ code }),
    passWithRecoveryCode: async (recoveryCode) => (await cloud()).pass({ recoveryCode }),
  };
}
