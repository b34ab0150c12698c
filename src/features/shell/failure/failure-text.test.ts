import { expect, it } from 'vitest';
import { failureText } from './failure-text';

it.each([
  [Object.assign(new Error('No room'), { name: 'QuotaExceededError' }), 'full'],
  [Object.assign(new Error('The operation is insecure.'), { name: 'SecurityError' }), 'store data'],
  [new Error('open failed', { cause: Object.assign(new Error('x'), { name: 'InvalidStateError' }) }), 'store data'],
  [new TypeError('Failed to fetch dynamically imported module: https://box.lan/assets/a.js'), 'missing'],
  [new Error('something else'), 'is safe'],
  ['a text', 'is safe'],
])('%s has a plain text', (error, title) => {
  const { title: said, text } = failureText(error);
  expect(said).toContain(title);
  expect(text).not.toMatch(/Error:|undefined/);
});
