import { describe, expect, it } from '@jest/globals';
import { publicUrl } from './public-url.js';

describe('the public URL', () => {
  it('is as configured, whatever the server listens on', () =>
    expect(publicUrl({ publicUrl: 'https://logbook.example.org', host: '127.0.0.1', port: 1, tls: undefined }, () => null)()).toBe(
      'https://logbook.example.org',
    ));

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:4711'],
    ['::1', 'http://[::1]:4711'],
    ['0.0.0.0', 'http://localhost:4711'],
    ['::', 'http://localhost:4711'],
  ])('on %s is %s once a port is bound', (host, expected) => {
    let address: { address: string; family: string; port: number } | null = null;
    const url = publicUrl({ publicUrl: undefined, host, port: 0, tls: undefined }, () => address);
    expect(url()).toBe(expected.replace('4711', '0'));
    address = { address: host, family: '', port: 4711 };
    expect(url()).toBe(expected);
    address = null;
    expect(url()).toBe(expected);
    const tls = { certFile: 'c', keyFile: 'k' };
    expect(publicUrl({ publicUrl: undefined, host, port: 4711, tls }, () => null)()).toBe(expected.replace('http:', 'https:'));
  });
});
