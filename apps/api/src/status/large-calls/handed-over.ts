import 'reflect-metadata';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import type { Answer } from '#api/shared/http/answer.js';
import { token } from '#api/shared/tokens.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { Work } from '#api/status/work.js';
import type { Results } from '#projections/status/results/report-reader.js';

/** For injection into controllers that hand large calls over to the thread. Reads are bounded as with `RESULTS`. */
export const LARGE_RESULTS = token<Results>('LargeResults');

/** A handler argument that is sent between threads. A disconnect of the client is sent separately. */
type SentArgument = Readonly<{ kind: 'reading'; call: object } | { kind: 'data'; value: unknown }>;

/** A handler call as plain data. `controller`: its path. */
export type SentCall = Readonly<{ controller: string; handler: string; args: readonly SentArgument[] }>;

/** `isGone`: returns whether the client has disconnected. */
export type LargeCall = Readonly<{ call: SentCall; isGone: () => boolean }>;

/** Thrown while a handler reads a large call, which has to be answered this way instead. Only the amount of data has been read. */
export class HandedOver extends Error {
  override readonly name = 'HandedOver';
  constructor(readonly answer: (call: LargeCall) => Promise<Answer>) {
    super('the call is answered elsewhere');
  }
}

const isReading = (value: unknown): value is ReadingCall =>
  typeof value === 'object' && value !== null && 'work' in value && value.work instanceof Work;

const sent = (argument: unknown): SentArgument => {
  if (!isReading(argument)) return { kind: 'data', value: argument };
  const { work: _, ...call } = argument;
  return { kind: 'reading', call };
};

/** The arguments of a handler in the thread that answers. */
export const received = (args: SentCall['args'], isGone: () => boolean): readonly unknown[] =>
  args.map((argument) => (argument.kind === 'reading' ? { ...argument.call, work: new Work(isGone) } : argument.value));

const goneIn = (args: readonly unknown[]): (() => boolean) => {
  const reading = args.find(isReading);
  return () => reading?.work.isPointless ?? false;
};

/** Identifies a controller in both threads. */
export const pathOf = (controller: object): string => String(Reflect.getMetadata(PATH_METADATA, controller));

type Handler = (...args: unknown[]) => Promise<Answer>;

const handingOver = (path: string, name: string, handler: Handler): Handler =>
  async function (this: unknown, ...args) {
    try {
      return await handler.apply(this, args);
    } catch (error) {
      if (!(error instanceof HandedOver)) throw error;
      return error.answer({ call: { controller: path, handler: name, args: args.map(sent) }, isGone: goneIn(args) });
    }
  };

/** For controllers whose reads hand large calls over to the thread, which creates the same controller. Place it above the routes. */
export const AnswersLargeCalls = (): ClassDecorator => (controller) => {
  const { prototype } = controller;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const handler: unknown = Object.getOwnPropertyDescriptor(prototype, name)?.value;
    if (typeof handler !== 'function' || Reflect.getMetadata(METHOD_METADATA, handler) !== RequestMethod.GET) continue;
    const wrapped = handingOver(pathOf(controller), name, handler as Handler);
    for (const key of Reflect.getMetadataKeys(handler)) Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapped);
    Object.defineProperty(prototype, name, { value: wrapped, configurable: true, writable: true });
  }
};
