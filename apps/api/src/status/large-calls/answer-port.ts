import { Readable } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import { BodyOfPieces } from '#api/shared/answers/pieces.js';
import { Answer, type AnswerOptions } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';

/** Fields of a StatusError. */
type SentError = Readonly<{ statusCode: number; body: object; jsonOnly: boolean }>;

/**
 * Messages of the thread about a call on its port. First `answer`, with the body if it is short, or `error`. Then each piece of a long body
 * on request, and `end` or `broken`. The other side closes the port if the rest is not needed.
 */
type FromThread =
  | Readonly<{ kind: 'answer'; options: AnswerOptions; body: Uint8Array | string | undefined; isLong: boolean }>
  | Readonly<{ kind: 'error'; error: SentError }>
  | Readonly<{ kind: 'piece'; piece: Uint8Array }>
  | Readonly<{ kind: 'end' }>
  | Readonly<{ kind: 'broken' }>;

const post = (port: MessagePort, message: FromThread): void => port.postMessage(message);

/**
 * Sends an answer. Resolves when all of it was received or the rest is not needed.
 * @param isGone returns whether the other side has closed the port; default: it has not
 */
export const sendAnswer = async (port: MessagePort, { body: given, options }: Answer, isGone = () => false): Promise<void> => {
  const body = given instanceof BodyOfPieces ? await given.made() : given;
  if (!(body instanceof Readable)) return post(port, { kind: 'answer', options, body, isLong: false });
  if (isGone()) return void body.destroy();
  port.once('close', () => body.destroy());
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const taken = new Promise<void>((resolve) => body.once('close', resolve));
  port.on('message', () => {
    pieces.next().then(
      ({ value, done }) => post(port, done ? { kind: 'end' } : { kind: 'piece', piece: value }),
      () => post(port, { kind: 'broken' }),
    );
  });
  post(port, { kind: 'answer', options, body: undefined, isLong: true });
  await taken;
};

export const sendError = (port: MessagePort, { statusCode, body, jsonOnly }: errors.StatusError): void =>
  post(port, { kind: 'error', error: { statusCode, body, jsonOnly } });

/** Messages on a port, one after another; `undefined` if it was closed or nothing arrived in time. */
class Messages {
  private readonly received: FromThread[] = [];
  private isClosed = false;
  private wake = (): void => {};

  constructor(port: MessagePort) {
    port.on('message', (message: FromThread) => {
      this.received.push(message);
      this.wake();
    });
    port.once('close', () => {
      this.isClosed = true;
      this.wake();
    });
  }

  async next(withinMs: number): Promise<FromThread | undefined> {
    if (this.received.length === 0 && !this.isClosed) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        timer = setTimeout(resolve, withinMs);
      });
      clearTimeout(timer);
    }
    return this.received.shift();
  }
}

/** Others wait for the place of a client that reads slowly. */
const WHOLE_ANSWER = 5;

/** The pieces of a long body. Each is requested after the client has received the previous one. */
async function* piecesOf(port: MessagePort, messages: Messages, withinMs: number, asks: () => void): AsyncGenerator<Buffer> {
  for (;;) {
    asks();
    port.postMessage('next');
    const message = await messages.next(withinMs);
    if (message?.kind === 'end') return;
    if (message?.kind !== 'piece') throw new Error('the thread did not finish the answer');
    yield Buffer.from(message.piece.buffer, message.piece.byteOffset, message.piece.byteLength);
  }
}

/**
 * The answer of a thread on a port. `done` is called once, when it is complete or abandoned.
 * @param withinMs longest wait for its beginning, for each piece, and for the client to receive one; all of it within {@link WHOLE_ANSWER} times as much
 * @throws StatusError; 503 if the thread is gone or too slow, or the port was closed
 */
export const answerFrom = async (port: MessagePort, withinMs: number, done: () => void): Promise<Answer> => {
  const messages = new Messages(port);
  const end = (): void => {
    port.close();
    done();
  };
  const first = await messages.next(withinMs);
  if (first?.kind === 'answer' && first.isLong) {
    const slow = setTimeout(() => body.destroy(new Error('the client took nothing for too long')), withinMs);
    const whole = setTimeout(() => body.destroy(new Error('the client took too long')), withinMs * WHOLE_ANSWER);
    const body = Readable.from(
      piecesOf(port, messages, withinMs, () => slow.refresh()),
      { objectMode: false },
    );
    body.once('close', () => {
      clearTimeout(slow);
      clearTimeout(whole);
      end();
    });
    return new Answer(body, first.options);
  }
  end();
  if (first?.kind === 'error') throw new errors.StatusError(first.error.statusCode, first.error.body, first.error.jsonOnly);
  if (first?.kind !== 'answer') throw errors.unavailable();
  const { body, options } = first;
  return new Answer(typeof body === 'object' ? Buffer.from(body.buffer, body.byteOffset, body.byteLength) : body, options);
};
