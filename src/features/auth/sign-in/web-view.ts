/**
 * Whether the page runs inside another app's own browser, where Google refuses to sign anybody in (2§2: "unless the page runs in an
 * embedded web view").
 *
 * @param agent the browser's own name (`navigator.userAgent`)
 */
export function isEmbeddedWebView(agent: string): boolean {
  // Android says so itself; the apps below name themselves; on an iPhone every real browser says "Safari" or its own name.
  if (
    /; wv\)|\bFB(AN|AV|_IAB)\b|Instagram|Line\/|MicroMessenger|Twitter|LinkedInApp|Snapchat|TikTok|BytedanceWebview|GSA\//i.test(
      agent,
    )
  )
    return true;
  return /\b(iPhone|iPad|iPod)\b/.test(agent) && /AppleWebKit/.test(agent) && !/Safari\//.test(agent);
}
