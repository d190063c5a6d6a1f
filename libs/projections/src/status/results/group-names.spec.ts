import { expect, it } from '@jest/globals';
import { TimeSlice } from '#domain/shared/time-slice.js';
import { namesOf } from './group-names.js';

const endpoint = (host: string, service: string) => ({ host, service, metrics: [] });

it('The names of groups are those of the group and its hosts, each once', async () => {
  const endpoints = [endpoint('H1.example.org', 'CE'), endpoint('h2.example.org', 'CE'), endpoint('H1.example.org', 'SRM')];
  const groups = new Map([
    ['SITE-A', { name: 'SITE-A', endpoints }],
    ['SITE-B', { name: 'SITE-B', endpoints: [] }],
  ]);
  expect((await namesOf(groups, new TimeSlice())).value).toEqual([
    { name: 'SITE-A', hosts: ['H1.example.org', 'h2.example.org'], text: 'site-a\nh1.example.org\nh2.example.org' },
    { name: 'SITE-B', hosts: [], text: 'site-b' },
  ]);
});

it('The names of an infrastructure with 140,000 hosts need less than 32 MiB', async () => {
  const hosts = Array.from({ length: 10 }, (_, index) => endpoint(`host-${index}.of-a-site.example.org`, 'CE'));
  const groups = new Map(Array.from({ length: 350 }, (_, index) => [`SITE-${index}`, { name: `SITE-${index}`, endpoints: hosts }]));
  expect(40 * (await namesOf(groups, new TimeSlice())).bytes).toBeLessThan(32 * 2 ** 20);
});
