// The package's decorators need this polyfill first.
import 'reflect-metadata';
import { X509Certificate as NodeCertificate, createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as x509 from '@peculiar/x509';
import { z } from 'zod';
import { nameConstraintsExtension } from './name-constraints';
import type { CertificateNames } from './certificate-names';
import { certificateNames, constraintsFor, coversAll } from './certificate-names';

/** Server material, and the CA that tablets install. */
interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly ca: { readonly pem: string; readonly fingerprint: string };
}

const DAY_MS = 86_400_000;
const CA_YEARS = 10;
/** Devices reject more than 825 days, some more than 398. */
const SERVER_DAYS = 397;
const RENEW_DAYS = 30;
/** For tablets whose clock is behind the box's. */
const BACKDATE_MS = 2 * DAY_MS;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

const rootSchema = z.object({
  cert: z.string(),
  key: z.string(),
  constraints: z.object({ dns: z.array(z.string()), networks: z.array(z.string()) }),
});
const serverSchema = z.object({
  cert: z.string(),
  key: z.string(),
  names: z.object({ dns: z.array(z.string()), addresses: z.array(z.string()) }),
  ca: z.string(),
});
type StoredRoot = z.infer<typeof rootSchema>;

/**
 * Loads or creates the box's CA and server certificate (protocol, "Origins and certificates"), in files of mode 0600.
 * The server certificate is renewed when names change or expiry is near; the CA is retained while it covers the names,
 * so that tablets trust it once.
 */
export async function loadLocalCertificates(
  folder: string,
  boxName: string,
  hosts: readonly string[],
  nowMs: number,
): Promise<TlsMaterial> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = certificateNames(hosts);
  const rootFile = path.join(folder, 'ca.json');
  const stored = readRoot(rootFile);
  const root =
    stored !== undefined && coversAll(stored.constraints, names) && isValid(stored.cert, nowMs)
      ? stored
      : await createRoot(boxName, names, nowMs);
  if (root !== stored) writePrivateFile(rootFile, root);

  const fingerprint = new NodeCertificate(root.cert).fingerprint256;
  const serverFile = path.join(folder, 'server.json');
  const current = readServer(serverFile);
  if (
    current !== undefined &&
    current.ca === fingerprint &&
    isValid(current.cert, nowMs) &&
    sameNames(current.names, names)
  ) {
    return { cert: current.cert + root.cert, key: current.key, ca: { pem: root.cert, fingerprint } };
  }
  const created = await createServerCertificate(root, boxName, names, nowMs);
  writePrivateFile(serverFile, { ...created, names, ca: fingerprint });
  return { cert: created.cert + root.cert, key: created.key, ca: { pem: root.cert, fingerprint } };
}

async function createRoot(boxName: string, names: CertificateNames, nowMs: number): Promise<StoredRoot> {
  const keys = await generateKeys();
  const constraints = constraintsFor(names);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerial(),
    name: [{ CN: [`${boxName} (reef census box)`] }, { O: ['Great Reef Census'] }],
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + CA_YEARS * 365 * DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      nameConstraintsExtension(constraints),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: toPem(certificate), key: await exportKey(keys.privateKey), constraints };
}

async function createServerCertificate(
  root: StoredRoot,
  boxName: string,
  names: CertificateNames,
  nowMs: number,
): Promise<{ cert: string; key: string }> {
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(root.cert);
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    createPrivateKey(root.key).export({ type: 'pkcs8', format: 'der' }),
    ALGORITHM,
    false,
    ['sign'],
  );
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: [{ CN: [boxName] }],
    issuer: issuer.subject,
    notBefore: new Date(nowMs - BACKDATE_MS),
    notAfter: new Date(nowMs + SERVER_DAYS * DAY_MS - BACKDATE_MS),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns', value }) as const),
        ...names.addresses.map((value) => ({ type: 'ip', value }) as const),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: toPem(certificate), key: await exportKey(keys.privateKey) };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

function toPem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

/** Positive serial number of 16 bytes. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** False near expiry and before validity (clock ahead at creation). */
function isValid(cert: string, nowMs: number): boolean {
  const { validFrom, validTo } = new NodeCertificate(cert);
  return Date.parse(validFrom) <= nowMs && Date.parse(validTo) - nowMs > RENEW_DAYS * DAY_MS;
}

function sameNames(a: CertificateNames, b: CertificateNames): boolean {
  return JSON.stringify([a.dns, a.addresses]) === JSON.stringify([b.dns, b.addresses]);
}

/** @throws Error if unreadable: every tablet trusts this CA, none a new one */
function readRoot(file: string): StoredRoot | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return rootSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new Error(
      `The certificate authority in ${file} cannot be read. Put back a copy of it, or move it away to start with a new one, which each tablet must come to trust again.`,
      { cause },
    );
  }
}

/** Undefined if unreadable, too: it can be created again. */
function readServer(file: string): z.infer<typeof serverSchema> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return serverSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function writePrivateFile(file: string, value: unknown): void {
  const draft = `${file}.new`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
