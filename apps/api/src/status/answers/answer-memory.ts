import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { BodyBudget } from '#api/shared/bodies/body-budget.js';
import { Answer } from '#api/shared/http/answer.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { json } from './answers.js';
import { type BranchBody, branchesJson, branchesXml } from './branches.js';
import { XML_TYPE } from './xml.js';

async function* until(pieces: Pieces, done: () => void): Pieces {
  try {
    yield* pieces;
  } finally {
    done();
  }
}

type AnswerRequest = Omit<ReadingCall, 'query'>;

/** Memory for collecting an answer. `grow` reserves further bytes, and returns `false` if none are free. `isGone`: the caller has disconnected. */
export type AnswerBudget = Readonly<{ grow: (bytes: number) => boolean; isGone: () => boolean }>;

const MOST_BYTES = 256 * 1024 * 1024;
/** Per caller and kind; further calls wait. */
const AT_A_TIME = 4;

/**
 * Answers that are collected before they are sent. Memory holds them until their callers have received them, however slowly. All of them
 * share a budget, of which a tenant may hold a quarter. An answer that is the only one of its tenant always has room. Each caller has few
 * of a kind collected at a time. Answers of disconnected callers are dropped.
 */
export class AnswerMemory {
  private readonly budget = new BodyBudget(MOST_BYTES);
  private readonly turnstile = new Turnstile(AT_A_TIME);

  get inUse(): number {
    return this.budget.inUse;
  }

  /**
   * @param kind answers of one kind do not wait for those of another; default: the kind of most answers
   * @throws StatusError 503 if memory is short
   */
  answer(asking: AnswerRequest, collect: (budget: AnswerBudget) => Promise<BranchBody>, kind = ''): Promise<Answer> {
    return this.turnstile.within(`${asking.caller.actorId} ${kind}`, () => this.held(asking, collect));
  }

  private async held({ caller, format, work }: AnswerRequest, collect: (budget: AnswerBudget) => Promise<BranchBody>): Promise<Answer> {
    const isGone = () => work.isPointless;
    if (isGone()) throw errors.nobodyWaits();
    const reservation = this.budget.reserve(caller.tenantId, 1);
    if (!reservation) throw errors.unavailable();
    try {
      const collected = await collect({ grow: (bytes) => reservation.grow(bytes), isGone });
      const pieces = format === 'json' ? branchesJson(collected) : branchesXml(collected);
      const body = bodyOfPieces(until(pieces, () => reservation.release()));
      return format === 'json' ? json(body) : new Answer(body, { type: XML_TYPE });
    } catch (error) {
      reservation.release();
      throw error;
    }
  }
}
