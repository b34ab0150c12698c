/** The flags of countries, made by vite.config.ts. */
declare module 'virtual:flags' {
  /** An SVG with a symbol for each, named by its code. */
  export const url: string;
  /** ISO 3166-1, two capital letters. */
  export const codes: ReadonlySet<string>;
}
