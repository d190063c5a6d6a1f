import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { EventStoreUnavailable } from '#domain/shared/event-store.js';
import { createLogger } from './logger.js';

const logged = (facts: object, text = 'text'): Record<string, unknown> => {
  const lines: string[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  createLogger('debug', output).info(facts, text);
  return JSON.parse(lines.join('')) as Record<string, unknown>;
};
const errorOf = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (error) {
    return error;
  }
};

describe('a log line', () => {
  it('has the facts, the text and the parts of an error', () => {
    const line = logged(
      { count: 3, err: Object.assign(new TypeError('no', { cause: new Error('because') }), { code: 'E_NO' }) },
      'it failed',
    );
    expect(line).toMatchObject({
      level: 'info',
      message: 'it failed',
      count: 3,
      err: { type: 'TypeError', message: 'no: because', code: 'E_NO' },
    });
    expect((line.err as { stack: string }).stack).toContain('caused by: Error: because');
    expect(logged({ err: 'a text' }).err).toBe('a text');
  });

  it('has no stack of an outage, only its message', () => {
    const outage = new EventStoreUnavailable('the event store does not answer', { cause: new Error('ECONNREFUSED') });
    expect(logged({ err: outage }).err).toEqual({
      type: 'EventStoreUnavailable',
      message: 'the event store does not answer: ECONNREFUSED',
    });
  });

  it('omits what libraries attach to errors', () => {
    const invalid = errorOf(() => new URL('https://user:secret-1@:'));
    const attached = Object.assign(new Error('refused'), { command: ['AUTH', 'secret-2'], response: { body: 'secret-3' } });
    expect(JSON.stringify(logged({ err: invalid, more: 1 }))).not.toContain('secret-1');
    expect(JSON.stringify(logged({ err: attached }))).not.toMatch(/secret-[23]/);
  });

  it('has neither e-mail addresses nor credentials of URLs, wherever they are', () => {
    const line = logged(
      {
        url: 'https://user:secret-1@host.example/path?key=secret-2&b=secret-3 end',
        err: new Error('cannot reach redis://:secret-4@cache:6379/0 nor https://a@secret-5@host/x'),
        who: ['"Ada" <ada.love+x@example.org>', 'mailto:grace@example.org.'],
      },
      'sent to joan@example.org',
    );
    const text = JSON.stringify(line);
    expect(text).not.toMatch(/secret-|ada\.love|grace@|joan@/);
    expect(line).toMatchObject({ url: 'https://***@host.example/path?*** end', message: 'sent to ***' });
    expect(text).toContain('redis://***@cache:6379/0');
  });

  it('has no characters that a terminal obeys, and the same values', () => {
    const name = 'a\u001b[2J\u007f\u009b31m\u0085\u2028\u202egpj.exe\u2066 é \t';
    const output = new PassThrough();
    createLogger('debug', output).info({ name }, name);
    const line = String(output.read());
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\u2028\u202e\u2066]/u);
    expect(JSON.parse(line)).toMatchObject({ name, message: name });
  });

  it('is written in linear time, whatever its content', () => {
    for (const text of ['://', '@', 'a', "'", '?', '://a@', 'a.'])
      expect(
        JSON.stringify(logged({ err: new Error(text.repeat(300_000)), fact: `${text.repeat(10_000)}@://? is not valid JSON` })).length,
      ).toBeLessThan(150_000);
  });

  it('is lost if it cannot be written', async () => {
    const failed = new Promise<void>((resolve) => {
      const output = new Writable({
        write: (_chunk, _encoding, done) => {
          done(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
          setImmediate(resolve);
        },
      });
      for (const level of ['info', 'warn'] as const) createLogger(level, output).warn({}, 'text');
    });
    await failed; // an error without a listener would have ended the process
  });

  it('does not quote a text that is not JSON', () => {
    for (const text of ['secret "secret" secret-9', `{"a": secret}`, `${'x'.repeat(50)}secret${'x'.repeat(50)}`]) {
      const line = logged({ err: errorOf(() => JSON.parse(text)) });
      expect(JSON.stringify(line)).not.toContain('secret');
      expect(JSON.stringify(line)).toMatch(/JSON/);
    }
  });
});
