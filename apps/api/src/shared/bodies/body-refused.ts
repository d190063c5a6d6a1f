import type { Excess } from '#api/shared/json/json-scan.js';

/** Why a body is not taken: beyond a limit of its route, too slow, or more than the process can hold now. */
export type Refusal = Excess | 'slow' | 'busy';

const STATUSES: Readonly<Record<Refusal, number>> = { bytes: 413, values: 413, levels: 413, text: 413, slow: 408, busy: 503 };

const TEXTS: Readonly<Record<Refusal, string>> = {
  bytes: 'the body is too large',
  values: 'the body holds too many JSON values',
  levels: 'the body is nested too deeply',
  text: 'the body holds a text that is too long',
  slow: 'the body took too long to arrive',
  busy: 'too many large bodies are under way, try again later',
};

/** A body was not taken, in part or at all; nothing has come of it. Each service answers it in a shape of its own. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  /** What HTTP calls it. */
  readonly statusCode: number;

  constructor(readonly reason: Refusal) {
    super(TEXTS[reason]);
    this.statusCode = STATUSES[reason];
  }
}
