import { describe, expect, it } from 'vitest';
import { addressBytes, certificateNames, constraintsFor, coversAll, networkBytes } from './certificate-names';

describe('protocol, Origins and certificates: names and networks', () => {
  it('protocol: addresses and networks as bytes', () => {
    expect([...addressBytes('192.168.1.20')]).toEqual([192, 168, 1, 20]);
    expect(Buffer.from(addressBytes('fe80::1:2')).toString('hex')).toBe('fe800000000000000000000000010002');
    expect(Buffer.from(addressBytes('::1')).toString('hex')).toBe(`${'0'.repeat(31)}1`);
    expect(Buffer.from(addressBytes('::ffff:10.0.0.1')).toString('hex')).toBe('00000000000000000000ffff0a000001');
    expect(Buffer.from(addressBytes('2001:db8:1:2:3:4:5:6')).toString('hex')).toBe('20010db8000100020003000400050006');
    expect([...networkBytes('172.16.0.0/12')]).toEqual([172, 16, 0, 0, 255, 240, 0, 0]);
    expect(Buffer.from(networkBytes('fc00::/7')).toString('hex')).toBe(`fc${'0'.repeat(30)}fe${'0'.repeat(30)}`);
  });

  it('protocol: local networks are always covered, names and other addresses only if they are the box’s own', () => {
    const own = certificateNames(['localhost', 'reef-box.local', 'BOX.lan']);
    const usual = constraintsFor(own);
    expect(coversAll(usual, own)).toBe(true);
    expect(coversAll(usual, certificateNames(['10.1.2.3', '127.0.0.1', '::1', 'fe80::1']))).toBe(true);
    for (const host of [
      'reef.example',
      'printer.local',
      'router.lan',
      'bank.internal',
      'local',
      'lan',
      'evil-reef-box.local',
      '8.8.8.8',
      '172.32.0.1',
      '2001:db8::1',
    ]) {
      const names = certificateNames([host]);
      expect(coversAll(usual, names), host).toBe(false);
      expect(coversAll(constraintsFor(names), names), host).toBe(true);
    }
  });

  it('protocol: a CA of version 1, which covers more, is retained', () => {
    const earlier = {
      dns: ['localhost', 'local', 'lan', 'home.arpa', 'internal', 'reef-box'],
      networks: ['10.0.0.0/8'],
    };
    expect(coversAll(earlier, certificateNames(['reef-box', 'reef-box.local', '10.1.2.3']))).toBe(true);
  });
});
