import type { ExceededLimit } from '#api/shared/json/json-scan.js';

/** Reason of a refusal: the body exceeds a limit of its route, is too slow, or does not fit into memory now. */
type Refusal = ExceededLimit | 'slow' | 'busy';

const STATUSES: Readonly<Record<Refusal, number>> = { bytes: 413, values: 413, levels: 413, text: 413, slow: 408, busy: 503 };

const TEXTS: Readonly<Record<Refusal, string>> = {
  bytes: 'the body is too large',
  values: 'the body holds too many JSON values',
  levels: 'the body is nested too deeply',
  text: 'the body holds a text that is too long',
  slow: 'the body took too long to arrive',
  busy: 'too many large bodies are under way, try again later',
};

/** A refused body. The call had no effect. Each service has its own form of the answer. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  /** HTTP status. */
  readonly statusCode: number;

  constructor(readonly reason: Refusal) {
    super(TEXTS[reason]);
    this.statusCode = STATUSES[reason];
  }
}
