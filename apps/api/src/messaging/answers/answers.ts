import { Answer, type AnswerBody, type AnswerOptions } from '#api/shared/http/answer.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A body that is ready to be sent. Its type is always JSON, even if it is empty (messaging contract 0.3). */
export const json = (body: AnswerBody, options: Omit<AnswerOptions, 'type'> = {}): Answer =>
  new Answer(body, { ...options, type: JSON_TYPE });

/** `E`: no body. */
export const empty = (options: Omit<AnswerOptions, 'type'> = {}): Answer => json('', options);

/** `E` after a command was carried out. */
export const done = async (execution: Promise<Readonly<{ readable: boolean }>>): Promise<Answer> => {
  const { readable } = await execution;
  return empty({ readable });
};

/** Push settings in answers for a pull subscription. */
export const PULLED = {
  type: '',
  pushEndpoint: '',
  maxMessages: 0,
  authorizationHeader: {},
  retryPolicy: {},
  verificationHash: '',
  verified: false,
  mattermostUrl: '',
  mattermostUsername: '',
  mattermostChannel: '',
  base64Decode: false,
} as const;
