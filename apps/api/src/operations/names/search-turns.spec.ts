import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { OpsCall } from '#api/ops-kit/parameters.js';
import { SearchTurns } from './search-turns.js';

it('searches of a key run one after another, those of others meanwhile, and none, or none any longer, for a client that has gone', async () => {
  const turns = new SearchTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ended: string[] = [];
  const find = (name: string, sharedBy: string) => {
    const raw = Object.assign(new EventEmitter(), { socket: { destroyed: false }, writableEnded: false });
    const found = turns.find({ request: { sharedBy }, reply: { raw } } as unknown as OpsCall, async (left) => {
      begun.push(name);
      left.addEventListener('abort', () => ended.push(name));
      await new Promise<void>((resolve) => ends.push(resolve));
      return [name];
    });
    return { found, leave: () => raw.emit('close') };
  };
  const [first, gone, last, other] = [find('first', 'a'), find('gone', 'a'), find('last', 'a'), find('other', 'b')];
  expect(begun).toEqual(['first', 'other']);
  gone.leave();
  for (const end of ends.splice(0)) end();
  expect(await Promise.all([first.found, gone.found, other.found])).toEqual([['first'], [], ['other']]);
  await new Promise(setImmediate);
  expect(begun).toEqual(['first', 'other', 'last']);
  last.leave();
  expect(ended).toEqual(['last']);
  ends[0]?.();
  expect(await last.found).toEqual(['last']);
});
