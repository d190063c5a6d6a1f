import { Problem } from '#api/ops-kit/problem.js';
import { ChainBehind } from '#infra/engine/integrity/integrity.js';
import { CannotSign } from '#infra/engine/integrity/signer.js';

/** What keeps an anchor from being made, as an answer. */
export const asProblem = (error: unknown): unknown =>
  error instanceof ChainBehind || error instanceof CannotSign ? new Problem(503, error.message) : error;

/** The number that a segment of a path stands for; `undefined`: it is none, so nothing is at that path. */
export const numberOf = (segment: string): number | undefined => {
  const number = /^(0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : undefined;
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined;
};
