import { bodyOfPieces, type Pieces } from '#api/shared/answers/pieces.js';
import { BodyBudget } from '#api/shared/bodies/body-budget.js';
import { Answer } from '#api/shared/http/answer.js';
import type { WireFormat } from '#api/status/accept.js';
import { json } from '#api/status/answers.js';
import * as errors from '#api/status/errors.js';
import type { ReadingCall } from '#api/status/parameters.js';
import { XML_TYPE } from '#api/status/xml.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';
import { type BranchBody, branchesJson, branchesXml } from './branches.js';

async function* until(pieces: Pieces, done: () => void): Pieces {
  try {
    yield* pieces;
  } finally {
    done();
  }
}

/** The answer in the form that the caller prefers. `done` is called when its body has been made, or the caller is gone. */
const answerOf = async (body: BranchBody, format: WireFormat, done: () => void): Promise<Answer> => {
  if (format === 'json') return json(await bodyOfPieces(until(branchesJson(body), done)));
  return new Answer(await bodyOfPieces(until(branchesXml(body), done)), { type: XML_TYPE });
};

/** Who waits for an answer. */
type Asking = Omit<ReadingCall, 'query'>;

/** What an answer is collected with. `grow` takes so many bytes of memory more; `false`: there are none now. `isGone`: nobody waits any more. */
export type AnswerRoom = Readonly<{ grow: (bytes: number) => boolean; isGone: () => boolean }>;

/** Bytes. */
const HELD_AT_ONCE = 256 * 1024 * 1024;
/** Of a caller; its other calls wait. */
const COLLECTED_AT_ONCE = 4;

/**
 * Answers that are collected before they are sent: memory holds them until their callers have taken them, however slowly. All of them share a budget,
 * of which a tenant may hold a quarter; an answer that is the only one of its tenant always has room. A caller has few collected at a time, and those of
 * callers who have gone are given up.
 */
export class HeldAnswers {
  private readonly budget = new BodyBudget(HELD_AT_ONCE);
  private readonly turnstile = new Turnstile(COLLECTED_AT_ONCE);

  /** Bytes in use. */
  get inUse(): number {
    return this.budget.inUse;
  }

  /** @throws StatusError 503 when there is no room for it now */
  answer(asking: Asking, collect: (room: AnswerRoom) => Promise<BranchBody>): Promise<Answer> {
    return this.turnstile.within(asking.caller.actorId, () => this.held(asking, collect));
  }

  private async held({ caller, format, work }: Asking, collect: (room: AnswerRoom) => Promise<BranchBody>): Promise<Answer> {
    const isGone = () => work.isPointless;
    if (isGone()) throw errors.nobodyWaits();
    const reservation = this.budget.reserve(caller.tenantId, 1);
    if (!reservation) throw errors.unavailable();
    try {
      const body = await collect({ grow: (bytes) => reservation.grow(bytes), isGone });
      return await answerOf(body, format, () => reservation.release());
    } catch (error) {
      reservation.release();
      throw error;
    }
  }
}
