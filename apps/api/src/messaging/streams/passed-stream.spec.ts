import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { passedOn } from './passed-stream.js';
import { END } from './stream-events.js';

/** The client's part of a stream that another node serves. */
const passing = () => {
  const events = new PassThrough();
  const node = new AbortController();
  const got: string[] = [];
  const done = (async () => {
    for await (const chunk of passedOn(events, node.signal, () => undefined)) got.push(String(chunk));
  })();
  const send = async (text: string): Promise<void> => {
    events.write(text);
    await new Promise(setImmediate);
  };
  return { events, got, done, send, end: () => node.abort() };
};

describe('A stream that is passed on', () => {
  it('tells the client that this node ends, where no event is under way', async () => {
    const { events, got, done, send, end } = passing();
    await send('id: 1\ndata: x\n\n');
    end();
    await done;
    expect(got.join('')).toBe(`id: 1\ndata: x\n\n${END}`);
    expect(events.destroyed).toBe(true);
  });

  it.each([
    [['data: x\n\ndata: yy', 'yy\n\ndata: z\n\n'], 'data: x\n\ndata: yyyy\n\n'],
    [['data: x\n', '\ndata: y\n\n'], 'data: x\n\n'],
    [['data: x', 'x', '\n\n'], 'data: xx\n\n'],
  ])('waits for the end of the event under way: %j', async ([first = '', ...rest], whole) => {
    const { got, done, send, end } = passing();
    await send(first);
    end();
    for (const text of rest) await send(text);
    await done;
    expect(got.join('')).toBe(whole + END);
  });

  it('ends as the other node ends it, and says so where that is gone', async () => {
    const ended = passing();
    await ended.send(END);
    ended.events.end();
    await ended.done;
    expect(ended.got.join('')).toBe(END);
    const gone = passing();
    await gone.send('data: x\n\n');
    gone.events.destroy(new Error('aborted'));
    await gone.done;
    expect(gone.got.join('')).toBe(`data: x\n\n${END}`);
  });

  it('is torn where the other node is gone in the middle of an event', async () => {
    const { events, done, send } = passing();
    await send('data: x');
    events.destroy(new Error('aborted'));
    await expect(done).rejects.toThrow('aborted');
  });

  it('says when the client has taken something, not what has come', async () => {
    const events = new PassThrough();
    let taken = 0;
    const chunks = passedOn(events, new AbortController().signal, () => {
      taken += 1;
    });
    for (const text of ['data: x\n\n', 'data: y\n\n']) {
      events.write(text);
      expect(String((await chunks.next()).value)).toBe(text);
    }
    await new Promise(setImmediate);
    expect(taken).toBe(1);
    await chunks.return(undefined);
    expect(events.destroyed).toBe(true);
  });
});
