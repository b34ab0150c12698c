// The package's decorators need this polyfill first.
import 'reflect-metadata';
import { sign, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  CRLDistributionPointsExtension,
  Extension,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';
import type { Attest } from './soft-authenticator';

const ES256 = -7;
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** Key description of Android's key store, around the challenge: version 3, software, two empty lists. */
const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17';
const DESCRIPTION = ['30340201030a01000201030a01000420', '040030003000'] as const;
const VALID = { notBefore: new Date(0), notAfter: new Date('2100-01-01') };

/**
 * Attestation "android-key" under a root of its maker, whose certificate names a list of revoked certificates.
 *
 * @param list address that a verifier is to fetch
 */
export function androidAttestation(list: string): Attest {
  return async (keys, data, client) => {
    cryptoProvider.set(webcrypto as unknown as Crypto);
    const root = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
    const own = await X509CertificateGenerator.createSelfSigned({
      name: 'CN=Root',
      keys: root as unknown as CryptoKeyPair,
      signingAlgorithm: EC,
      extensions: [new BasicConstraintsExtension(true)],
      ...VALID,
    });
    const leaf = await X509CertificateGenerator.create({
      subject: 'CN=Key',
      issuer: own.subject,
      publicKey: keys.publicKey.export({ format: 'der', type: 'spki' }),
      signingKey: root.privateKey as unknown as CryptoKey,
      signingAlgorithm: EC,
      extensions: [
        new CRLDistributionPointsExtension([list]),
        new Extension(
          KEY_DESCRIPTION,
          false,
          new Uint8Array(
            Buffer.concat([Buffer.from(DESCRIPTION[0], 'hex'), client, Buffer.from(DESCRIPTION[1], 'hex')]),
          ).buffer,
        ),
      ],
      ...VALID,
    });
    return {
      format: 'android-key',
      statement: {
        alg: ES256,
        sig: sign('sha256', Buffer.concat([data, client]), keys.privateKey),
        x5c: [new Uint8Array(leaf.rawData), new Uint8Array(own.rawData)],
      },
    };
  };
}
