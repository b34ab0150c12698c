import type { FreeingAnswer } from '../../../src/protocol/edge-http';
import type { OpUploader } from '../upload/op-uploader';
import type { BridgeContext } from '../bridge-context';
import { EpochChanged, reserveBudget, jsonBytes, countReceived } from '../bridge-context';
import { NodeError, callNode, isItemError } from '../node-error';
import { reoffer } from './verify';

/** Portions of one go: all else has its turn in between. */
const ROUNDS_MAX = 20;

/**
 * Asks the cloud for the box which photographs it still has, and brings the answer, portion by portion (protocol, "Freeing"). The box
 * decides what goes. What the cloud misses though it gave receipts is offered to it again.
 *
 * @throws Trouble, BudgetUsed, EpochChanged
 */
export async function relayFreeing(parts: BridgeContext, courier: OpUploader, signal: AbortSignal): Promise<void> {
  const { edge, cloud, tracker, log } = parts;
  for (let portion = 0; portion < ROUNDS_MAX && !signal.aborted; portion++) {
    const { ask } = await callNode('edge', edge.freeing(null, signal));
    if (ask === null || ask.sha256.length === 0) return;
    await reserveBudget(parts, jsonBytes(ask.sha256), signal);
    const missing = new Set(await callNode('cloud', cloud.findMissing(ask.sha256, signal)));
    countReceived(parts, [...missing]);
    // After the answer: a store that is the present one now was so before, too, and no earlier one comes back.
    await reserveBudget(parts, 0, signal);
    const { storeEpoch, time } = await callNode('cloud', cloud.identity(signal));
    if (storeEpoch !== tracker.cloudEpoch) throw new EpochChanged();
    const absent = ask.sha256.filter((sha256) => missing.has(sha256));
    const freed = await sendAnswer(parts, { id: ask.id, storeEpoch, time, missing: absent }, signal);
    if (absent.length > 0) {
      log('warn', 'the cloud does not have photographs that it gave receipts for; they are offered again', {
        missing: absent.length,
      });
      await reoffer(parts, courier, new Set(absent), signal);
    }
    if (freed === 0) return;
    log('info', 'the box freed photographs that are ashore', { photographs: freed });
  }
}

/** How many photographs the box freed on this word; 0 where it says that the word does not count. */
async function sendAnswer({ edge, log }: BridgeContext, word: FreeingAnswer, signal: AbortSignal): Promise<number> {
  try {
    return (await callNode('edge', edge.freeing(word, signal))).freed?.photographs ?? 0;
  } catch (error) {
    if (!(error instanceof NodeError) || !isItemError(error)) throw error;
    log('info', 'the box freed nothing on this word', { code: error.error.code, message: error.error.message });
    return 0;
  }
}
