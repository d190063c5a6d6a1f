import { describe, expect, it } from '@jest/globals';
import { MalformedRedisUrl, parseRedisUrl } from './redis-url.js';

describe('the URL of Redis', () => {
  it('names one server', () => {
    for (const url of ['redis://host', 'rediss://user:p%40ss@host:6380/2']) expect(parseRedisUrl(url)).toEqual({ kind: 'server', url });
  });

  it('names the master of a Sentinel set-up', () => {
    const place = parseRedisUrl('rediss+sentinel://user:p%40ss@s1,s2:26380,[::1]:26381/main/3?sentinel-password=a%2Fb');
    if (place.kind !== 'sentinel') throw new Error(place.kind);
    expect(place.master).toBe('main');
    expect(place.sentinels).toEqual(['rediss://:a%2Fb@s1:26379', 'rediss://:a%2Fb@s2:26380', 'rediss://:a%2Fb@[::1]:26381']);
    expect(place.urlOf('10.0.0.7', 6379)).toBe('rediss://user:p%40ss@10.0.0.7:6379/3');
    expect(place.urlOf('::1', 6379)).toBe('rediss://user:p%40ss@[::1]:6379/3');
  });

  it('names some nodes of a Cluster', () => {
    const place = parseRedisUrl('redis+cluster://:secret@n1:7000,n2');
    if (place.kind !== 'cluster') throw new Error(place.kind);
    expect(place.seeds).toEqual(['redis://:secret@n1:7000', 'redis://:secret@n2:6379']);
    expect(place.urlOf('n3', 7_002)).toBe('redis://:secret@n3:7002');
  });

  it.each([
    'redis://:secret@[',
    'redis://:secret/s@host:6379',
    'redis://:secret#s@host:6379',
    'redis://user:secret%@host',
    'redis://user:12#3@host:6379',
    'redis://user:1?x@host',
    'redis://:secret@host:99999',
    'redis://:secret@host:6379/x',
    'redis+sentinel://:secret%@host/main',
    'redis+sentinel://:secret@host/main%',
    'redis+cluster://:secret%@host',
    'http://:secret@host',
    'redis+sentinel://:secret@host',
    'redis+sentinel://:secret@host:port/main',
    'redis+sentinel://:secret@host,/main',
    'redis+cluster://:secret@host/1',
    'redis+cluster://:secret@',
    'redis+cluster://:secret@host:99999',
    'redis+other://:secret@host',
  ])('is refused without repeating it: %s', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(MalformedRedisUrl);
    expect(() => parseRedisUrl(url)).not.toThrow(/secret/);
  });
});
