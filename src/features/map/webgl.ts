/** Probes for WebGL 2 and releases its context. */
export function hasWebgl(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return context !== null;
  } catch {
    // Some browsers throw if it is switched off.
    return false;
  }
}
