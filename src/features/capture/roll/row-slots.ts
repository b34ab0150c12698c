/** DOM slot that shows one row, and another later. */
interface RowSlot {
  readonly key: number;
  readonly row: number;
}

/** The rows that fit vary by one or two. */
const SPARE_MAX = 2;

/**
 * Assigns rows to slots: a new row reuses the slot of one that left, so that text changes and no tile is rebuilt.
 * Idempotent.
 */
export class RowSlots {
  #slots: readonly RowSlot[] = [];
  #made = 0;

  /**
   * Slots for these rows, and up to two spare ones.
   *
   * @param rows in ascending order
   * @param isMoving false sorts the slots by row, for screen readers
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
