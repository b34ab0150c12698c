import { describe, expect, it } from 'vitest';
import { html, trustedHtml } from './html';
import { page } from './page';
import { definitionList, note, table } from './page-parts';

const HOSTILE = `"><script>alert('x')</script>&amp;`;
const ESCAPED = '&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;amp;';

describe('html', () => {
  it('escapes text', () => {
    expect(String(html`<p>${HOSTILE}</p>`)).toBe(`<p>${ESCAPED}</p>`);
  });

  it('escapes attribute values', () => {
    expect(String(html`<a title="${HOSTILE}" data-n='${HOSTILE}'></a>`)).toBe(
      `<a title="${ESCAPED}" data-n='${ESCAPED}'></a>`,
    );
  });

  it('inserts HTML as it is, at any depth', () => {
    expect(String(html`<ul>${html`<li>${html`<b>${'a & b'}</b>`}</li>`}</ul>`)).toBe(
      '<ul><li><b>a &#38; b</b></li></ul>',
    );
  });

  it('joins lists and escapes their text', () => {
    expect(String(html`${[html`<i>`, HOSTILE, [1, html`</i>`]]}`)).toBe(`<i>${ESCAPED}1</i>`);
  });

  it('keeps zero and drops the empty text', () => {
    expect(String(html`<p>${0}${''}</p>`)).toBe('<p>0</p>');
  });

  it('inserts trusted markup as it is', () => {
    expect(String(html`<style>${trustedHtml('a > b { content: "x" }')}</style>`)).toBe(
      '<style>a > b { content: "x" }</style>',
    );
  });
});

describe('page', () => {
  it('escapes title, owner, names and values', () => {
    const text = String(
      page(
        HOSTILE,
        html`${definitionList([[HOSTILE, HOSTILE]])}${note('look', html`${HOSTILE}`)}${table('t', [{ head: HOSTILE }, { head: HOSTILE }], [[HOSTILE, HOSTILE]])}`,
        { of: HOSTILE },
      ),
    );
    expect(text).not.toContain('<script>');
    expect(text.split(ESCAPED)).toHaveLength(1 + 3 + 3 + 5);
  });
});
