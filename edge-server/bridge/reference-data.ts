import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ReefError } from '../../src/domain/errors';
import { CLOUD_SEAL_KEY, sealKeySchema } from '../../src/protocol/bundle';
import { publicKeySchema } from '../../src/protocol/receipt';
import type { PublicKey } from '../../src/protocol/receipt';
import { REVOCATIONS, Revocations, revocationsSchema } from '../../src/protocol/revocations';
import type { BoxState, ReferenceRow } from '../store/box-state';

/** The cloud's receipt keys, as delivered by the bridge: `{keys: [JWK]}`. */
export const CLOUD_KEYS = 'cloud-keys';

const keysSchema = z.object({ keys: z.array(publicKeySchema) });
const jwksSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Reference data of the cloud: JSON by name, stored as the bridge delivered it. */
export class ReferenceData {
  readonly #state: BoxState;
  #revocations: Revocations | undefined;

  constructor(state: BoxState) {
    this.#state = state;
  }

  get(name: string): ReferenceRow | undefined {
    return this.#state.reference(name);
  }

  names(): readonly string[] {
    return this.#state.references().map(({ name }) => name);
  }

  /**
   * Stores reference data. Only keys are checked, as much depends on them.
   *
   * @throws ReefError `bad-message` for an invalid JWKS, key list or revocation list
   */
  put(name: string, value: unknown, now: string): ReferenceRow {
    if (name === CLOUD_SEAL_KEY && !sealKeySchema.safeParse(value).success)
      throw new ReefError('bad-message', { field: 'recipient', message: `${name} must be {"recipient": "age1…"}.` });
    const schema = name === CLOUD_KEYS ? keysSchema : name === 'jwks' ? jwksSchema : undefined;
    if (schema?.safeParse(value).success === false)
      throw new ReefError('bad-message', { field: 'keys', message: `${name} must be {"keys": [public keys]}.` });
    const revoked = name === REVOCATIONS ? revocationsSchema.safeParse(value) : undefined;
    if (revoked?.success === false)
      throw new ReefError('bad-message', {
        field: name,
        message: `${name} must be {"people": […], "devices": […], "boxes": […]}.`,
      });
    const body = JSON.stringify(value);
    const row = {
      name,
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
      storedAt: now,
    };
    this.#state.putReference(row);
    if (revoked !== undefined) this.#revocations = new Revocations(revoked.data);
    return row;
  }

  cloudKeys(): readonly PublicKey[] | undefined {
    const row = this.get(CLOUD_KEYS);
    return row === undefined ? undefined : keysSchema.parse(JSON.parse(row.body)).keys;
  }

  /** Revocations from shore, as known on the box. */
  revocations(): Revocations {
    if (this.#revocations === undefined) {
      const row = this.get(REVOCATIONS);
      this.#revocations = new Revocations(
        row === undefined
          ? { people: [], roles: [], devices: [], boxes: [] }
          : revocationsSchema.parse(JSON.parse(row.body)),
      );
    }
    return this.#revocations;
  }

  sealKey(): string | undefined {
    const row = this.get(CLOUD_SEAL_KEY);
    return row === undefined ? undefined : sealKeySchema.parse(JSON.parse(row.body)).recipient;
  }
}
