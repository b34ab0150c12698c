import type { TabletHost } from '../../platform/host';
import type { PublicKey } from '../../protocol/receipt';
import type { NodeTrace } from '../../protocol/node-trace';
import { parseNodeTrace } from '../../protocol/node-trace';

/**
 * Parses and verifies a reply of `/edge/trace?nonce=` (protocol, "Edge HTTP"). The nonce is ours, so an old reply
 * fails, and a captive portal has no key.
 *
 * @returns undefined unless a pinned key signed exactly this
 */
export async function verifyNodeTrace(
  host: Pick<TabletHost, 'verifySignature'>,
  text: string,
  nonce: string,
  pinned: readonly PublicKey[],
): Promise<NodeTrace | undefined> {
  const trace = parseNodeTrace(text);
  if (trace?.sig === undefined || trace.signedText === undefined || trace.nonce !== nonce) return undefined;
  const key = pinned.find(({ kid }) => kid === trace.kid);
  if (key === undefined) return undefined;
  return (await host.verifySignature(key, trace.sig, trace.signedText)) ? trace : undefined;
}
