import type { StatusError } from '#api/status/errors.js';
import { DomainError } from '#domain/shared/decider.js';

/** For `catch`: a command that a rule refused with this code is answered with this error, everything else stays as it is. */
export const refused =
  (code: string, answer: () => StatusError) =>
  (error: unknown): never => {
    throw error instanceof DomainError && error.code === code ? answer() : error;
  };
