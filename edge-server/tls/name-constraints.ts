// Repeated: in a bundle this file precedes local-certificates.ts.
import 'reflect-metadata';
import { Extension } from '@peculiar/x509';
import { networkBytes } from './certificate-names';

/** id-ce-nameConstraints (RFC 5280, 4.2.1.10). */
const OID = '2.5.29.30';

/**
 * Critical name constraints of the box's CA: trust covers its own names and local networks only. permittedSubtrees [0],
 * each a GeneralName.
 */
export function nameConstraintsExtension(permitted: {
  dns: readonly string[];
  networks: readonly string[];
}): Extension {
  const subtrees = [
    ...permitted.dns.map((name) => encodeSequence(encodeTagged(0x82, Buffer.from(name, 'ascii')))),
    ...permitted.networks.map((network) => encodeSequence(encodeTagged(0x87, networkBytes(network)))),
  ];
  return new Extension(OID, true, Uint8Array.from(encodeSequence(encodeTagged(0xa0, Buffer.concat(subtrees)))));
}

function encodeSequence(content: Uint8Array): Buffer {
  return encodeTagged(0x30, content);
}

/** DER: tag, length, content. */
function encodeTagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
