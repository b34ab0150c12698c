/** Bytes that are no geobuf of an analysis. Its message says in plain words why. */
export class GeobufError extends Error {
  override readonly name = 'GeobufError';

  constructor(why: string, options?: ErrorOptions) {
    super(`The traces cannot be read: ${why}.`, options);
  }
}
