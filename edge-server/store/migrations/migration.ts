/** Schema migration; runs once, in the transaction that also raises `PRAGMA user_version`. */
export interface Migration {
  /** Resulting version, counting up from 1 without gaps. */
  readonly version: number;
  readonly sql: string;
}
