import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '#api/shared/tokens.js';
import { objectId } from '#domain/accounting/object-id.js';
import type { Clock } from '#domain/shared/clock.js';

const COUNTER_END = 0x1_00_00_00;

/** Generates ids of records. */
@Injectable()
export class ObjectIds {
  /** Random, so that no two processes generate equal ids. */
  private readonly process = randomBytes(5).toString('hex');
  private count = 0;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** A new id: 24 lower-case hex characters. Ids of one process ascend, so that records created together are adjacent in read models. */
  next(): string {
    this.count = (this.count + 1) % COUNTER_END;
    return objectId(this.clock(), this.process + this.count.toString(16).padStart(6, '0'));
  }
}
