import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, oneOf, optional, pageSize } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AllSubscriptions, ORDERS } from './all-subscriptions.js';
import { ALL_SUBSCRIPTIONS } from './documentation.js';
import { MOST_LISTED } from './messaging-now.js';

class ListQuery extends membersOf({
  order: optional(
    oneOf(ORDERS, {
      description:
        '`backlog` (default): all, the largest first; `oldest`: those with messages, the longest waiting first; `push`: failing pushes, the longest first, then endpoints that are not verified; `dead-letters`: the most first',
    }),
  ),
  limit: pageSize(MOST_LISTED),
}) {}

/** Subscriptions of all projects (operations contract 1). */
@OpsController('ops/subscriptions', 'operations')
export class AllSubscriptionsController {
  constructor(private readonly subscriptions: AllSubscriptions) {}

  @Get('', {
    id: 'listSubscriptionsOfAllProjects',
    summary: 'Subscriptions of all messaging projects: the largest backlogs, the oldest messages, pushes that fail, or dead letters',
    description:
      'The counts are those of the last pass over all subscriptions, which is made while somebody asks, in a twentieth of the time at most.',
    answers: { 200: ALL_SUBSCRIPTIONS },
  })
  list(@StrictQuery(ListQuery) { order = 'backlog', limit }: ListQuery): Promise<Answered<typeof ALL_SUBSCRIPTIONS>> {
    return this.subscriptions.list(order, limit);
  }
}
