/** Columns: the i-th entries belong together. */
interface Signatures {
  /** `x` of the public keys, base64url. */
  readonly keys: readonly string[];
  /** base64url. */
  readonly sigs: readonly string[];
  readonly texts: readonly string[];
}

export interface SignaturesWorkerApi {
  /** Verifies each signature, in order. @throws if the browser cannot check such signatures */
  readonly verifyAll: (signatures: Signatures) => Promise<readonly boolean[]>;
}
