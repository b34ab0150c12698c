import { LIMITS } from './limits/foundations';

/** 1§9: "Random ids are 12 to 19 characters", of `[0-9A-Za-z]`. */
export const ID_SHAPE = new RegExp(`^[0-9A-Za-z]{${LIMITS.idLengthMin},${LIMITS.idLengthMax}}$`);

/** True if a text has the shape of an id. For code that loads before the schemas, such as address checks. */
export function isId(text: unknown): text is string {
  return typeof text === 'string' && ID_SHAPE.test(text);
}
