import type { Provider } from '@nestjs/common';
import { BodyBudget, type Reservation } from '#api/shared/bodies/body-budget.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { WireFormat } from '#api/status/accept.js';
import * as errors from '#api/status/errors.js';
import { answerOf } from './answering.js';
import type { BranchBody } from './branches.js';

/** Bytes. */
const HELD_AT_ONCE = 256 * 1024 * 1024;

/** Memory that an answer is collected in. `grow` takes more of it, in bytes; `false`: there is none now. */
export type AnswerMemory = Pick<Reservation, 'grow'>;

/**
 * Answers that are collected before they are sent: memory holds them until their callers have taken them, however slowly. All of them share a budget,
 * of which a tenant may hold a quarter; an answer that is the only one of its tenant always has room.
 */
export class HeldAnswers {
  private readonly budget = new BodyBudget(HELD_AT_ONCE);

  /** Bytes in use. */
  get inUse(): number {
    return this.budget.inUse;
  }

  /** @throws StatusError 503 when there is no room for it now */
  async answer(tenantId: string, format: WireFormat, collect: (memory: AnswerMemory) => Promise<BranchBody>): Promise<Answer> {
    const reservation = this.budget.reserve(tenantId, 1);
    if (!reservation) throw errors.unavailable();
    try {
      return await answerOf(await collect(reservation), format, () => reservation.release());
    } catch (error) {
      reservation.release();
      throw error;
    }
  }
}

export const heldAnswersProvider: Provider = { provide: HeldAnswers, useFactory: () => new HeldAnswers() };
