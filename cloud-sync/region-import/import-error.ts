/** Error in the operator's input: one line, no stack. Nothing was imported. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}
