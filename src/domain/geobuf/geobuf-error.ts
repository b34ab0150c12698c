/** Error for bytes that are not a geobuf of an analysis; the message explains why. */
export class GeobufError extends Error {
  override readonly name = 'GeobufError';

  constructor(why: string, options?: ErrorOptions) {
    super(`The traces cannot be read: ${why}.`, options);
  }
}
