import { component, doc, oneOf } from '#domain/shared/shape.js';

const WORDS = [
  'BAD_REQUEST',
  'INVALID_ARGUMENT',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'TIMEOUT',
  'ALREADY_EXISTS',
  'CONFLICT',
  'GONE',
  'INTERNAL_SERVER_ERROR',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
];

export const ERROR = component(
  'MessagingError',
  { error: { code: 'integer', message: 'text', status: oneOf(...WORDS), 'details?': doc(['text'], 'what exactly, such as ids') } },
  'messaging contract 2.1',
);
