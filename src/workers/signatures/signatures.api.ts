/** Signatures to check, column by column, the i-th of each together. */
export interface Signatures {
  /** `x` of the public keys, base64url. */
  readonly keys: readonly string[];
  /** base64url. */
  readonly sigs: readonly string[];
  readonly texts: readonly string[];
}

export interface SignaturesWorkerApi {
  /** Whether each holds, in their order. @throws where the browser cannot check such signatures */
  readonly verifyAll: (signatures: Signatures) => Promise<readonly boolean[]>;
}
