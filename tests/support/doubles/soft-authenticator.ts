/** Authenticator of passkeys in software (WebAuthn level 2, ES256, attestation "none"), as a forger would write one. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject, KeyPairKeyObjectResult } from 'node:crypto';

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
}

/** Departures from what an honest browser and authenticator do. */
export interface Forgery {
  readonly origin?: string;
  readonly host?: string;
  readonly challenge?: string;
  readonly counter?: number;
  readonly isPresent?: boolean;
  readonly type?: string;
  readonly key?: KeyObject;
  /** Writes an attestation, which no site asked for. */
  readonly attest?: Attest;
}

/** @param client SHA-256 of the client's data */
export type Attest = (
  keys: KeyPairKeyObjectResult,
  data: Uint8Array,
  client: Uint8Array,
) => Promise<{ readonly format: string; readonly statement: { readonly [member: string]: Cbor } }>;

type Cbor = string | number | Uint8Array | readonly Cbor[] | { readonly [member: string]: Cbor };

const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();
const encoded = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
/** Encodes CBOR (RFC 8949) as far as attestations need it. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, n: number): Buffer =>
    Buffer.from(n < 24 ? [major | n] : n < 256 ? [major | 24, n] : [major | 25, n >> 8, n & 255]);
  if (typeof value === 'number') return value < 0 ? head(0x20, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(0x60, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(0x40, value.length), value]);
  if (isList(value)) return Buffer.concat([head(0x80, value.length), ...value.map(cbor)]);
  const members = Object.entries(value);
  return Buffer.concat([
    head(0xa0, members.length),
    ...members.flatMap(([name, member]) => [cbor(name), cbor(member)]),
  ]);
}
const isList = (value: Cbor): value is readonly Cbor[] => Array.isArray(value);

const USER_PRESENT = 1;
const ATTESTED = 0x40;

export class SoftAuthenticator {
  readonly id = randomBytes(32);
  counter = 0;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Answers the options of a registration. */
  async create(options: Options, forgery: Forgery = {}): Promise<object> {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([
      Buffer.from('a501020326200121' + '5820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.#authenticatorData(options, ATTESTED, forgery),
      Buffer.alloc(16),
      length,
      this.id,
      key,
    ]);
    const client = this.#clientData('webauthn.create', options, forgery);
    const { format, statement } = (await forgery.attest?.(this.#keys, data, sha256(client))) ?? {
      format: 'none',
      statement: {},
    };
    return this.#answer({
      clientDataJSON: encoded(client),
      attestationObject: encoded(cbor({ fmt: format, attStmt: statement, authData: data })),
      transports: ['internal'],
    });
  }

  /** Answers the options of an authentication. */
  get(options: Options, forgery: Forgery = {}): object {
    this.counter += 1;
    const data = this.#authenticatorData(options, 0, forgery);
    const client = this.#clientData('webauthn.get', options, forgery);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), forgery.key ?? this.#keys.privateKey);
    return this.#answer({
      clientDataJSON: encoded(client),
      authenticatorData: encoded(data),
      signature: encoded(signature),
    });
  }

  #answer(response: object): object {
    const id = encoded(this.id);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, { challenge }: Options, forgery: Forgery): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: forgery.type ?? type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? this.#origin,
        crossOrigin: false,
      }),
    );
  }

  #authenticatorData({ rp, rpId }: Options, flags: number, forgery: Forgery): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(forgery.counter ?? this.counter);
    const host = forgery.host ?? rp?.id ?? rpId ?? '';
    const present = forgery.isPresent === false ? 0 : USER_PRESENT;
    return Buffer.concat([sha256(host), Buffer.from([flags | present]), counter]);
  }
}
