import type { DescribedAnswer } from '#api/shared/openapi/described.js';

/** `E`: 200 without a body (messaging contract 0.3). */
export const DONE: Readonly<Record<number, DescribedAnswer>> = { 200: { description: 'done; the body is empty' } };
