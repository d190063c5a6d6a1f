import { Answer, type AnswerBody, type AnswerOptions } from '#api/shared/http/answer.js';
import { JSON_TYPE } from './responses.js';

/** A JSON body that is ready to be sent. */
export const json = (body: AnswerBody, options: Omit<AnswerOptions, 'type'> = {}): Answer =>
  new Answer(body, { ...options, type: JSON_TYPE });

/** The answer to OPTIONS: the methods of a path, to anybody (status contract 1.10). */
export const methods = (allow: string): Answer => new Answer('', { type: 'text/plain; charset=utf-8', headers: { allow } });
