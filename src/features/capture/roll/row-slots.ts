/** A place in the page that shows one row of the roll, and another row later. */
export interface RowSlot {
  /** Names the place for as long as it stands. */
  readonly key: number;
  readonly row: number;
}

/** Places without a row of their own that are kept: as many rows fit a screen one time and one or two fewer the next. */
const SPARE_MAX = 2;

/**
 * Which place of the page shows which row of the roll. A row that comes into sight takes the place of one that went out of it,
 * so that the page changes a few words and does not build and lay out tiles anew. Giving the same rows twice changes nothing.
 */
export class RowSlots {
  #slots: readonly RowSlot[] = [];
  #made = 0;

  /**
   * The places for these rows, and up to two more that still show the row they had.
   *
   * @param rows in ascending order
   * @param isMoving whether places stay where they are in the page; at rest they come in the order of their rows, for whoever
   *   has the page read out
   */
  arrange(rows: readonly number[], isMoving: boolean): readonly RowSlot[] {
    const wanted = new Set(rows);
    const known = new Set(this.#slots.map(({ row }) => row));
    const coming = rows.filter((row) => !known.has(row));
    let spare = this.#slots.length - (rows.length - coming.length) - coming.length;
    const slots: RowSlot[] = [];
    for (const slot of this.#slots) {
      if (wanted.has(slot.row)) slots.push(slot);
      else {
        const row = coming.shift();
        if (row !== undefined) slots.push({ key: slot.key, row });
        else if (spare-- <= SPARE_MAX) slots.push(slot);
      }
    }
    for (const row of coming) slots.push({ key: this.#made++, row });
    if (!isMoving) slots.sort((a, b) => a.row - b.row);
    this.#slots = slots;
    return slots;
  }
}
