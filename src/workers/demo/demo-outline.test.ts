import { expect, test } from 'vitest';
import { labelOf } from '../../imaging/reef-renderer/reef-classes';
import { outlinePath } from './demo-outline';

test('2§4 the true area of a type is outlined with its holes, without specks and other classes', () => {
  const [width, height] = [100, 50];
  const labels = new Uint8Array(width * height).fill(labelOf('N'));
  const fill = (left: number, top: number, right: number, bottom: number, label: number): void => {
    for (let y = top; y < bottom; y++) labels.fill(label, y * width + left, y * width + right);
  };
  fill(10, 5, 60, 45, labelOf('M'));
  fill(20, 10, 50, 40, labelOf('B'));
  fill(90, 10, 91, 11, labelOf('M'));
  const path = outlinePath(labels, width, height, 'reef_hardcoral_boulder');
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path).toContain('M0.1000 0.1000');
  expect(path).toContain('0.6000 0.9000');
  expect(path).toContain('0.5000 0.8000');
  expect(outlinePath(labels, width, height, 'reef_softcoral')).toBe('');
});
