/** Whether this browser draws with WebGL 2, which the chart needs. The context that was made to find out is given back. */
export function hasWebgl(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2');
    context?.getExtension('WEBGL_lose_context')?.loseContext();
    return context !== null;
  } catch {
    // Some browsers throw where it was switched off.
    return false;
  }
}
