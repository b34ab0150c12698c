import type { TabletHost } from '../../platform/host';
import type { PublicKey } from '../../protocol/receipt';
import type { NodeTrace } from '../../protocol/node-trace';
import { parseNodeTrace } from '../../protocol/node-trace';
import { randomHex } from './random-hex';

/**
 * Fetches and verifies a trace over a fresh nonce (protocol, "Edge HTTP"). The nonce is ours, so an old reply fails, and
 * a captive portal has no key.
 *
 * @param fetchTrace sends the nonce and returns the reply, unparsed
 * @returns undefined unless a pinned key signed exactly this
 * @throws ReefError as `fetchTrace`
 */
export async function fetchVerifiedTrace(
  host: Pick<TabletHost, 'randomBytes' | 'verifySignature'>,
  pinned: readonly PublicKey[],
  fetchTrace: (nonce: string) => Promise<string>,
): Promise<NodeTrace | undefined> {
  const nonce = randomHex(host);
  const text = await fetchTrace(nonce);
  const trace = parseNodeTrace(text);
  if (trace?.sig === undefined || trace.signedText === undefined || trace.nonce !== nonce) return undefined;
  const key = pinned.find(({ kid }) => kid === trace.kid);
  if (key === undefined) return undefined;
  return (await host.verifySignature(key, trace.sig, trace.signedText)) ? trace : undefined;
}
