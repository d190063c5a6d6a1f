import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ServerSpan, SpanExporter } from './span-exporter.js';
import { newTrace } from './trace-context.js';

const span = (name: string): ServerSpan => ({
  context: newTrace(1),
  name,
  start: 1_700_000_000_000,
  end: 1_700_000_000_001.5,
  attributes: { 'http.route': '/a', 'http.response.status_code': 200 },
  failed: false,
});

describe('spans', () => {
  const received: {
    headers: IncomingMessage['headers'];
    body: { resourceSpans: readonly { scopeSpans: readonly { spans: object[] }[] }[] };
  }[] = [];
  const warnings: object[] = [];
  const answer = { status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body: JSON.parse(body) });
      response.writeHead(answer.status).end('{}');
    });
  });
  const exporter = () =>
    new SpanExporter({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
      headers: { 'x-team': 'a' },
      resource: { 'service.name': 'logbook' },
      log: { warn: (facts) => warnings.push(facts) },
    });

  beforeEach(async () => {
    received.length = 0;
    warnings.length = 0;
    answer.status = 200;
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });

  it('are sent as OTLP, at the latest when the exporter is closed', async () => {
    const exports = exporter();
    exports.add(span('GET /a'));
    exports.add({ ...span('GET /b'), parentId: '00f067aa0ba902b7', failed: true });
    await exports.close();
    expect(received).toHaveLength(1);
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-team': 'a' });
    expect(received[0]?.body).toMatchObject({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'logbook' } }] },
          scopeSpans: [
            {
              spans: [
                {
                  name: 'GET /a',
                  kind: 2,
                  startTimeUnixNano: '1700000000000000000',
                  endTimeUnixNano: '1700000000001500000',
                  attributes: [
                    { key: 'http.route', value: { stringValue: '/a' } },
                    { key: 'http.response.status_code', value: { intValue: '200' } },
                  ],
                },
                { name: 'GET /b', parentSpanId: '00f067aa0ba902b7', status: { code: 2 } },
              ],
            },
          ],
        },
      ],
    });
    expect(warnings).toEqual([]);
  });

  it('are sent in parts, and dropped beyond those that may wait', async () => {
    const exports = exporter();
    for (let count = 0; count < 6_000; count++) exports.add(span('GET /a'));
    await exports.close();
    const sent = received.map(({ body }) => body.resourceSpans[0]?.scopeSpans[0]?.spans.length);
    expect(sent).toEqual(Array.from({ length: 8 }, () => 512));
  });

  it('are dropped when the collector refuses them, which is logged once a minute', async () => {
    answer.status = 503;
    const exports = exporter();
    for (const name of ['a', 'b']) {
      exports.add(span(name));
      await exports.close();
    }
    expect(received).toHaveLength(2);
    expect(warnings).toEqual([{ err: new Error('the collector answered 503'), dropped: 1 }]);
  });
});
