import { z } from 'zod';
import { idSchema } from '../domain/ids';

/** The name of the reference data that says what was ended from shore. Boxes get it from their bridge; it is nobody else's to read. */
export const REVOCATIONS = 'revocations';

/**
 * - `people`: sign-ins of a person that were made before a time (ISO 8601 UTC) count for nothing: the account was disabled, or they signed
 *   out everywhere;
 * - `devices`: tablets that were lost;
 * - `boxes`: boxes that were shut out.
 */
export const revocationsSchema = z.object({
  people: z.array(z.object({ uid: idSchema, before: z.iso.datetime() })),
  devices: z.array(idSchema),
  boxes: z.array(z.string().max(64)),
});
export type RevocationList = z.infer<typeof revocationsSchema>;

/** Looks things up in a {@link RevocationList}. */
export class Revocations {
  readonly #people: ReadonlyMap<string, number>;
  readonly #devices: ReadonlySet<string>;

  constructor({ people, devices }: RevocationList) {
    this.#people = new Map(people.map(({ uid, before }) => [uid, Date.parse(before)]));
    this.#devices = new Set(devices);
  }

  /**
   * Whether a person's sign-in was ended.
   *
   * @param madeMs when it was made by the cloud's clock, ms since 1970; one that does not say is as old as can be
   */
  endsPerson(uid: string, madeMs: number): boolean {
    const before = this.#people.get(uid);
    return before !== undefined && madeMs < before;
  }

  endsDevice(id: string): boolean {
    return this.#devices.has(id);
  }
}
