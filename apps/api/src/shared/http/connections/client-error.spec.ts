import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { answerClientError } from './client-error.js';

const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';

describe('bytes that are no HTTP', () => {
  const waiting: ServerResponse[] = [];
  const server = createServer((_request, response) => waiting.push(response)).on('clientError', answerClientError);
  afterEach(() => {
    waiting.length = 0;
    server.close();
  });

  /** Statuses of the answers to these bytes. Complete requests among them are answered once all have arrived, the last of them first. */
  const answersTo = async (bytes: string, requests: number): Promise<readonly string[]> => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const refused = once(server, 'clientError');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(bytes);
    const answers = text(socket);
    await refused;
    expect(waiting).toHaveLength(requests);
    for (const response of waiting.toReversed()) if (response.req.complete) response.end('ok');
    return (await answers).match(/(?<=HTTP\/1.1 )\d+/g) ?? [];
  };

  it.each([
    ['nothing', 'x', 0, ['400']],
    ['a request', `${GET}x`, 1, ['200', '400']],
    ['several requests', `${GET}${GET}${GET}x`, 3, ['200', '200', '200', '400']],
    ['requests, in the body of one', `${GET}${GET}${CHUNKED}x`, 3, ['200', '200', '400']],
  ])('are refused behind %s', async (_what, bytes, requests, expected) => {
    expect(await answersTo(bytes, requests)).toEqual(expected);
  });
});
