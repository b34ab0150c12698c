import type { FreeingAnswer } from '../../../src/protocol/edge-http';
import type { OpUploader } from '../upload/op-uploader';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged, reserveBudget, jsonBytes, countReceived } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';
import { reoffer } from './verify';

/** Rounds of one call, so that other work gets its turn. */
const ROUNDS_MAX = 20;

/**
 * Relays the box's question about photographs to the cloud, and the answer (protocol, "Freeing"). Offers again what the
 * cloud receipted but lacks.
 *
 * @throws NodeError, BudgetExhausted, EpochChanged
 */
export async function relayFreeing(parts: BridgeContext, courier: OpUploader, signal: AbortSignal): Promise<void> {
  const { edge, cloud, tracker, log } = parts;
  for (let portion = 0; portion < ROUNDS_MAX && !signal.aborted; portion++) {
    const { ask } = await callNode('edge', edge.freeing(null, signal));
    if (ask === null || ask.sha256.length === 0) return;
    await reserveBudget(parts, jsonBytes(ask.sha256), signal);
    const missing = new Set(await callNode('cloud', cloud.findMissing(ask.sha256, signal)));
    countReceived(parts, [...missing]);
    // Checked after the answer: a current epoch was current then too, as no earlier one returns.
    await reserveBudget(parts, 0, signal);
    const { storeEpoch, time } = await callNode('cloud', cloud.identity(signal));
    if (storeEpoch !== tracker.cloudEpoch) throw new EpochChanged();
    const absent = ask.sha256.filter((sha256) => missing.has(sha256));
    const freed = await sendAnswer(parts, { id: ask.id, storeEpoch, time, missing: absent }, signal);
    if (absent.length > 0) {
      log('warn', 'the cloud is missing photographs that it receipted; offering them again', {
        missing: absent.length,
      });
      await reoffer(parts, courier, new Set(absent), signal);
    }
    if (freed === 0) return;
    log('info', 'the box freed photographs that are ashore', { photographs: freed });
  }
}

/** Sends the answer; returns the number of photographs freed, 0 if rejected. */
async function sendAnswer({ edge, log }: BridgeContext, word: FreeingAnswer, signal: AbortSignal): Promise<number> {
  try {
    return (await callNode('edge', edge.freeing(word, signal))).freed?.photographs ?? 0;
  } catch (error) {
    if (!(error instanceof NodeError) || !isItemError(error)) throw error;
    log('info', 'the box freed nothing on this word', { code: error.error.code, message: error.error.message });
    return 0;
  }
}
