import type { FreeingWord } from '../../src/protocol/edge-http';
import type { Courier } from './courier';
import type { Parts } from './parts';
import { EpochChanged, admit, jsonBytes, received } from './parts';
import { Trouble, at, isOfOneItem } from './trouble';
import { offerAgain } from './verify';

/** Portions of one go: all else has its turn in between. */
const PORTIONS_MAX = 20;

/**
 * Asks the cloud for the box which photographs it still has, and brings the answer, portion by portion (protocol, "Freeing"). The box
 * decides what goes. What the cloud misses though it gave receipts is offered to it again.
 *
 * @throws Trouble, BudgetUsed, EpochChanged
 */
export async function freeAboard(parts: Parts, courier: Courier, signal: AbortSignal): Promise<void> {
  const { edge, cloud, book, log } = parts;
  for (let portion = 0; portion < PORTIONS_MAX && !signal.aborted; portion++) {
    const { ask } = await at('edge', edge.freeing(null, signal));
    if (ask === null || ask.sha256.length === 0) return;
    await admit(parts, jsonBytes(ask.sha256), signal);
    const missing = new Set(await at('cloud', cloud.have(ask.sha256, signal)));
    received(parts, [...missing]);
    // After the answer: a store that is the present one now was so before, too, and no earlier one comes back.
    await admit(parts, 0, signal);
    const { storeEpoch, time } = await at('cloud', cloud.identity(signal));
    if (storeEpoch !== book.cloudEpoch) throw new EpochChanged();
    const absent = ask.sha256.filter((sha256) => missing.has(sha256));
    const freed = await told(parts, { id: ask.id, storeEpoch, time, missing: absent }, signal);
    if (absent.length > 0) {
      log('warn', 'the cloud does not have photographs that it gave receipts for; they are offered again', {
        missing: absent.length,
      });
      await offerAgain(parts, courier, new Set(absent), signal);
    }
    if (freed === 0) return;
    log('info', 'the box freed photographs that are ashore', { photographs: freed });
  }
}

/** How many photographs the box freed on this word; 0 where it says that the word does not count. */
async function told({ edge, log }: Parts, word: FreeingWord, signal: AbortSignal): Promise<number> {
  try {
    return (await at('edge', edge.freeing(word, signal))).freed?.photographs ?? 0;
  } catch (error) {
    if (!(error instanceof Trouble) || !isOfOneItem(error)) throw error;
    log('info', 'the box freed nothing on this word', { code: error.error.code, message: error.error.message });
    return 0;
  }
}
