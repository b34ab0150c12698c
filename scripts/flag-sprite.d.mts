export function flagSprite(): { readonly svg: string; readonly codes: readonly string[] };
