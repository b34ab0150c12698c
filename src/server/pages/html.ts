/** HTML in which foreign text is escaped. Only {@link html} and {@link trustedHtml} create it. */
class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}
export type { Html };

/** Content of a placeholder: text is escaped, HTML inserted, a list joined. */
export type HtmlValue = string | number | Html | readonly HtmlValue[];

/** Tags a template as HTML. The escaped values are safe in text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, n) => part + (n < values.length ? markupOf(values[n] ?? '') : '')).join(''));
}

/** Marks markup of our own, such as a style sheet, as HTML. It must hold no foreign text. */
export function trustedHtml(markup: string): Html {
  return new Html(markup);
}

function markupOf(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(markupOf).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
