import type { ImageId } from '../ids';

/**
 * What a photographer may want to know while the divers are still there. A hint is advice: nothing is refused for it, and
 * "Keep as it is" takes it away.
 */
export type PhotographHint =
  | { readonly kind: 'blurred' }
  | { readonly kind: 'too-dark' }
  | { readonly kind: 'too-bright' }
  | { readonly kind: 'only-water' }
  | { readonly kind: 'near-duplicate'; readonly of: ImageId };
