import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import type { MessagePort } from 'node:worker_threads';
import { BodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer, type AnswerOptions } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';

/** Fields of a StatusError. */
type SentError = Readonly<{ statusCode: number; body: object; jsonOnly: boolean }>;

/** The message of the thread about a call on its port. A long body is a stream. The other side closes the port if the rest is not needed. */
type FromThread =
  | Readonly<{ kind: 'answer'; options: AnswerOptions; body: Uint8Array | string | ReadableStream<Uint8Array> | undefined }>
  | Readonly<{ kind: 'error'; error: SentError }>;

/**
 * Sends an answer. Resolves when all of it was received or the rest is not needed.
 * @param isGone returns whether the other side has closed the port; default: it has not
 */
export const sendAnswer = async (port: MessagePort, { body: given, options }: Answer, isGone = () => false): Promise<void> => {
  const body = given instanceof BodyOfPieces ? await given.made() : given;
  if (!(body instanceof Readable)) return port.postMessage({ kind: 'answer', options, body } satisfies FromThread);
  if (isGone()) return void body.destroy();
  port.once('close', () => body.destroy());
  const taken = new Promise<void>((resolve) => body.once('close', resolve));
  const stream: ReadableStream<Uint8Array> = Readable.toWeb(body);
  port.postMessage({ kind: 'answer', options, body: stream } satisfies FromThread, [stream as never]);
  await taken;
};

export const sendError = (port: MessagePort, { statusCode, body, jsonOnly }: errors.StatusError): void =>
  port.postMessage({ kind: 'error', error: { statusCode, body, jsonOnly } } satisfies FromThread);

/** `undefined` if the port was closed or nothing arrived in time. */
const messageOn = async (port: MessagePort, withinMs: number): Promise<FromThread | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const message = await new Promise<FromThread | undefined>((resolve) => {
    port.once('message', resolve);
    port.once('close', () => resolve(undefined));
    timer = setTimeout(() => resolve(undefined), withinMs);
  });
  clearTimeout(timer);
  return message;
};

/** Others wait for the place of a client that reads slowly. */
const WHOLE_ANSWER = 5;

const unfinished = (): Error => new Error('the thread did not finish the answer');

/** A long body, read as the client receives it, for a limited time. It ends with the port. */
const bodyOf = (stream: ReadableStream<Uint8Array>, port: MessagePort, withinMs: number): Readable => {
  const reader = stream.getReader();
  const slow = setTimeout(() => body.destroy(new Error('the client took nothing for too long')), withinMs);
  const whole = setTimeout(() => body.destroy(new Error('the client took too long')), withinMs * WHOLE_ANSWER);
  const body = new Readable({
    read: () => {
      slow.refresh();
      reader.read().then(
        ({ done, value }) => body.push(done ? null : value),
        () => body.destroy(unfinished()),
      );
    },
    destroy: (error, ended) => {
      clearTimeout(slow);
      clearTimeout(whole);
      reader.cancel().catch(() => undefined);
      ended(error);
    },
  });
  port.once('close', () => body.destroy(unfinished()));
  return body;
};

/**
 * The answer of a thread on a port. `done` is called once, when it is complete or abandoned.
 * @param withinMs longest wait for its beginning, and for the client to receive a piece; all of it within {@link WHOLE_ANSWER} times as much
 * @throws StatusError; 503 if the thread is gone or too slow, or the port was closed
 */
export const answerFrom = async (port: MessagePort, withinMs: number, done: () => void): Promise<Answer> => {
  const first = await messageOn(port, withinMs);
  const end = (): void => {
    port.close();
    done();
  };
  if (first?.kind === 'answer' && first.body instanceof ReadableStream)
    return new Answer(bodyOf(first.body, port, withinMs).once('close', end), first.options);
  end();
  if (!first) throw errors.unavailable();
  if (first.kind === 'error') throw new errors.StatusError(first.error.statusCode, first.error.body, first.error.jsonOnly);
  const body = first.body as Exclude<typeof first.body, ReadableStream>;
  return new Answer(typeof body === 'object' ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body, first.options);
};
