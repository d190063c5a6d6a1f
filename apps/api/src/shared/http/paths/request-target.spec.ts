import { describe, expect, it } from '@jest/globals';
import { routedUrl } from './request-target.js';

describe('the URL that is routed', () => {
  it.each([
    ['/api/v2/weights?name=%61', '/api/v2/weights?name=%61'],
    ['/%61pi/%762/weights', '/api/v2/weights'],
    ['/api/v2/admin/users%3AbyID/%3a', '/api/v2/admin/users:byID/:'],
    ['/%41%5a%5A%61%7a%30%39%2d%5F%7E', '/AZZaz09-_~'],
    ['/%2e%2e%2F%40%5b%5c%60%7b%7f%3b%3f%23%25%20%00%c3%a9%zz%6', '/%2e%2e%2F%40%5b%5c%60%7b%7f%3b%3f%23%25%20%00%c3%a9%zz%6'],
    ['/%2561', '/%2561'],
    ['/%ff/%e9t%C3%A9/%c3%a9%C3?name=%ff', '/%EF%BF%BD/%EF%BF%BDt%C3%A9/%C3%A9%EF%BF%BD?name=%ff'],
    ['http://host:1/api/v2/weights?date=x', '/api/v2/weights?date=x'],
    ['HTTPS://host/%761', '/v1'],
    ['http://host', '/'],
    ['http://host?a', '/?a'],
    ['*', '*'],
    ['/accounting-system/projects/?page=1', '/accounting-system/projects?page=1'],
    ['/%61ccounting-system/projects/', '/accounting-system/projects'],
    ['/api/v2/weights/', '/api/v2/weights/'],
  ])('of %s is %s', (url, routed) => expect(routedUrl(url)).toBe(routed));
});
