import { PROBLEM } from '#api/ops-kit/answers-documentation.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AuditCalls } from './audit-calls.js';
import { EVENT_TYPES } from './documentation.js';

/** Possible values of `type` and `category` in `/audit/events`. */
@OpsController('audit/event-types', 'audit')
export class EventTypesController {
  constructor(private readonly calls: AuditCalls) {}

  @Get('', {
    id: 'listEventTypes',
    summary: 'Types of events in the log, and categories of its streams',
    answers: { 200: EVENT_TYPES, 503: PROBLEM('the index has not reached the head of the log; see Retry-After') },
  })
  async list(@Call() { reply }: OpsCall): Promise<Answered<typeof EVENT_TYPES>> {
    return this.calls.reading(async () => {
      await this.calls.size(reply);
      const { tallies } = this.calls.audit.index;
      return { types: tallies.types(), categories: tallies.categories().map(({ name }) => name) };
    });
  }
}
