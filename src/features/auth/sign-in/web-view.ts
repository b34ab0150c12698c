/**
 * True if the page runs in another app's browser, where Google refuses sign-ins (2§2: "unless the page runs in an
 * embedded web view").
 *
 * @param agent `navigator.userAgent`
 */
export function isEmbeddedWebView(agent: string): boolean {
  // Android web views and the apps below identify themselves; on an iPhone every real browser includes "Safari" or its
  // own name.
  if (
    /; wv\)|\bFB(AN|AV|_IAB)\b|Instagram|Line\/|MicroMessenger|Twitter|LinkedInApp|Snapchat|TikTok|BytedanceWebview|GSA\//i.test(
      agent,
    )
  )
    return true;
  return /\b(iPhone|iPad|iPod)\b/.test(agent) && /AppleWebKit/.test(agent) && !/Safari\//.test(agent);
}
