import { takeOp } from './take-op';

/** `image:record`: the record of a photograph whose bytes are here, whole. */
export const imageRecord = takeOp<'image:record'>('image');
