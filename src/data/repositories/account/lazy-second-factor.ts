import { lazyRepository } from '../lazy-repository';
import type { RepositoryContext } from '../repository-context';
import type { SecondFactorRepository } from './second-factor-repository';

/** Creates the second factor, which loads on first use: few people have one. */
export function lazySecondFactor(parts: RepositoryContext): SecondFactorRepository {
  return lazyRepository(async () =>
    (await import('./second-factor-repository')).createSecondFactorRepository(parts),
  ).methods(
    'state',
    'overview',
    'beginCodes',
    'confirmCodes',
    'renewRecoveryCodes',
    'removeCodes',
    'beginPasskey',
    'addPasskey',
    'removePasskey',
    'passWithPasskey',
    'start',
    'passWithCode',
    'passWithRecoveryCode',
  );
}
