import { describe, expect, it } from 'vitest';
import { keyName, ShortcutRegistry, formatKey } from './shortcut-registry';

const press = (key: string, more: object = {}) => ({
  key,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  shiftKey: false,
  repeat: false,
  ...more,
});

describe('single-key shortcuts', () => {
  it('3§2 the browser’s own shortcuts stay the browser’s', () => {
    for (const with_ of ['ctrlKey', 'altKey', 'metaKey']) expect(keyName(press('r', { [with_]: true }))).toBeNull();
    expect(keyName(press('R'))).toBe('r');
    expect(keyName(press('?'))).toBe('?');
    expect(keyName(press(' '))).toBe('Space');
  });

  it('2§4 undo and redo are also where every editor has them', () => {
    for (const with_ of ['ctrlKey', 'metaKey']) {
      expect(keyName(press('z', { [with_]: true }))).toBe('Ctrl+z');
      expect(keyName(press('Z', { [with_]: true, shiftKey: true }))).toBe('Ctrl+Shift+z');
      expect(keyName(press('z', { [with_]: true, repeat: true }))).toBe('Ctrl+z');
      expect(keyName(press('z', { [with_]: true, altKey: true }))).toBeNull();
    }
    expect(formatKey('Ctrl+Shift+z')).toBe('Ctrl+Shift+Z');
  });

  it('3§2 a held key repeats in a list and triggers nothing else twice', () => {
    expect(keyName(press('d', { repeat: true }))).toBeNull();
    expect(keyName(press('ArrowRight', { repeat: true }))).toBe('ArrowRight');
  });

  it('3§2 remote shutters and housing buttons count as one key', () => {
    for (const key of ['AudioVolumeUp', 'AudioVolumeDown', 'VolumeUp', 'Camera', 'MediaPlayPause'])
      expect(keyName(press(key))).toBe('Shutter');
  });

  it('3§2 the nearest map applies, and under a dialog only the dialog’s own', () => {
    const ring = new ShortcutRegistry();
    const ran: string[] = [];
    const map =
      (who: string, ...keys: string[]) =>
      () =>
        Object.fromEntries(keys.map((key) => [key, { label: `${who} ${key}`, run: () => ran.push(who) }]));
    const takeOut = ring.add(map('page', 'd', 'n'));
    ring.add(map('viewer', 'd'), 'dialog');
    expect(ring.find('d')?.label).toBe('viewer d');
    expect(ring.find('n')?.label).toBe('page n');
    expect(ring.find('n', true)).toBeUndefined();
    expect(ring.find('toString')).toBeUndefined();
    expect(ring.all()).toEqual([
      { key: 'd', label: 'viewer d' },
      { key: 'n', label: 'page n' },
    ]);
    takeOut();
    expect(ring.find('n')).toBeUndefined();
  });

  it('3§2 the shortcut sheet shows keys as they are printed', () => {
    expect(['d', 'ArrowLeft', 'Escape', 'Shutter', '?'].map(formatKey)).toEqual([
      'D',
      '←',
      'Esc',
      'Shutter or volume',
      '?',
    ]);
  });
});
