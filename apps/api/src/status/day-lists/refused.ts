import type { StatusError } from '#api/status/errors.js';
import { DomainError } from '#domain/shared/decider.js';

/** For `catch`: converts a rejection with this code to this error, and passes on all others. */
export const refused =
  (code: string, answer: (details: DomainError['details']) => StatusError) =>
  (error: unknown): never => {
    throw error instanceof DomainError && error.code === code ? answer(error.details) : error;
  };
