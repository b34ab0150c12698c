/** Normalises text for search: lower case without accents or marks, single spaces. */
export function plainText(text: string, other = /[^a-z0-9]+/g): string {
  // Most names: decomposition and classes of Unicode cost ten times as much.
  if (ASCII.test(text)) return text.replace(/['`]/g, '').toLowerCase().replace(other, ' ').trim();
  return text
    .normalize('NFD')
    .replace(/[\p{M}'’ʻʼ‘`]/gu, '')
    .toLowerCase()
    .replace(/[øœæßđłı]/g, (letter) => PLAIN[letter] ?? letter)
    .replace(other, ' ')
    .trim();
}

const ASCII = /^[ -~]*$/;
const PLAIN: Readonly<Record<string, string>> = { ø: 'o', œ: 'oe', æ: 'ae', ß: 'ss', đ: 'd', ł: 'l', ı: 'i' };
