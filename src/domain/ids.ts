import { z } from 'zod';
import { ID_SHAPE } from './id-shape';
import { LIMITS } from './limits';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type SurveyId = Branded<'SurveyId'>;
export type ImageId = Branded<'ImageId'>;
export type AnalysisId = Branded<'AnalysisId'>;
export type PersonId = Branded<'PersonId'>;
export type DeviceId = Branded<'DeviceId'>;
/** `<deviceId>-<n>`: the device's n-th operation. */
export type OpId = Branded<'OpId'>;
/** Lower-case hex SHA-256, 64 characters. */
export type Sha256 = Branded<'Sha256'>;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Id of the census: "Random ids are 12 to 19 characters" (1§9), of `[0-9A-Za-z]`. */
export const idSchema = z.string().regex(ID_SHAPE, 'is not an id of 12 to 19 letters and digits');

/** Id that is reported as `missing`, a sentence of the specification, if it is absent or empty. */
export function requiredId(missing: string): z.ZodString {
  return z.string(missing).min(1, missing).regex(ID_SHAPE, 'is not an id of 12 to 19 letters and digits');
}

export const opIdSchema = z
  .string()
  .regex(/^[0-9A-Za-z]{12,19}-[1-9][0-9]{0,14}$/, 'is not an operation id (<device>-<number>)');

export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, 'is not a lower-case hex SHA-256');

/**
 * Makes a random id.
 *
 * @param randomBytes returns n random bytes (injected: the domain has no randomness)
 * @param length 12 to 19 characters, 16 by default (95 bits)
 */
export function makeId<Id extends string = string>(
  randomBytes: (n: number) => Uint8Array,
  length: number = LIMITS.idLength,
): Id {
  let id = '';
  while (id.length < length) {
    for (const byte of randomBytes(length)) {
      // 62 × 4 = 248: larger bytes would favour the first letters.
      if (byte < 248 && id.length < length) id += ALPHABET.charAt(byte % 62);
    }
  }
  return id as Id;
}

export function opIdOf(deviceId: string, n: number): OpId {
  return `${deviceId}-${n}` as OpId;
}

/** Splits an operation id into device and count. */
export function splitOpId(opId: string): { deviceId: DeviceId; n: number } {
  const dash = opId.lastIndexOf('-');
  return { deviceId: opId.slice(0, dash) as DeviceId, n: Number(opId.slice(dash + 1)) };
}
