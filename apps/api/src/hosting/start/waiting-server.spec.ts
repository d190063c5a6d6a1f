import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, it } from '@jest/globals';
import { WaitingAnswers } from './waiting-server.js';

it('Answers of a server that waits have the headers of every answer', () => {
  let sent: Readonly<Record<string, string>> = {};
  const response = {
    writeHead: (_status: number, headers: typeof sent) => {
      sent = headers;
    },
    end: () => undefined,
  };
  const request = { url: '/audit/events', method: 'GET', headers: { 'x-correlation-id': 'c' } };
  const answer = (given = {}): void => {
    const asked = { ...request, headers: { ...request.headers, ...given } };
    new WaitingAnswers(() => 'Redis').send(asked as unknown as IncomingMessage, response as unknown as ServerResponse);
  };
  answer();
  const uncached = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  expect(sent).toMatchObject({ ...uncached, 'x-correlation-id': 'c', 'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/) });
  answer({ 'x-request-id': 'my-request.1' });
  expect(sent['x-request-id']).toBe('my-request.1');
});
