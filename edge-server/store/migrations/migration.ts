/** One step of the database's shape: runs once, in the transaction that also raises `PRAGMA user_version`. */
export interface Migration {
  /** The version it leads to, counting up from 1 without gaps. */
  readonly version: number;
  readonly sql: string;
}
