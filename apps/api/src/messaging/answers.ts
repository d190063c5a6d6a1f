import { Answer, type AnswerBody, type AnswerOptions } from '#api/shared/http/answer.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A body that is ready to be sent. Always of the type of JSON, also when it is empty (messaging contract 0.3). */
export const json = (body: AnswerBody, options: Omit<AnswerOptions, 'type'> = {}): Answer =>
  new Answer(body, { ...options, type: JSON_TYPE });

/** `E`: no body. */
export const empty = (options: Omit<AnswerOptions, 'type'> = {}): Answer => json('', options);

/** `E` once a command was carried out. */
export const done = async (execution: Promise<Readonly<{ readable: boolean }>>): Promise<Answer> => {
  const { readable } = await execution;
  return empty({ readable });
};

/** Push settings of a subscription that is pulled, as answers show them. */
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
};
