import { type Answered, answerOf } from '#api/ops-kit/answers-documentation.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { doc, nullable } from '#domain/shared/shape.js';
import { GroupsOfAll } from './groups-not-ok.js';

const GROUP = {
  tenant: { id: 'text', name: 'text' },
  report: 'text',
  group: 'text',
  status: 'text',
  day: doc('day', 'today, for which it is computed'),
  since: doc(nullable('instant'), 'null: for more than 7 days'),
} as const;
const EXAMPLE = {
  tenant: { id: '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60', name: 'Alpine Grid' },
  ...{ report: 'Critical', group: 'SITE-02', status: 'CRITICAL', day: '2026-03-01', since: '2026-03-01T06:00:00Z' },
};

const GROUPS = answerOf(
  'the groups that are not OK',
  'GroupsThatAreNotOk',
  {
    items: [GROUP],
    total: doc('count', 'groups that are not OK'),
    groups: doc(nullable('count'), 'all groups; null while they are first looked at'),
  },
  { items: [EXAMPLE], total: 1, groups: 40 },
);

/** Endpoint groups of all tenants (operations contract 1). */
@OpsController('ops/groups', 'operations')
export class GroupsController {
  constructor(private readonly groups: GroupsOfAll) {}

  @Get('', {
    id: 'listGroupsThatAreNotOk',
    summary: 'Endpoint groups of all tenants that are not OK now: the most severe first, 100 at most',
    answers: { 200: GROUPS },
  })
  async list(): Promise<Answered<typeof GROUPS>> {
    const { listed = [], notOk = 0, groups = null } = (await this.groups.newest()) ?? {};
    const items = listed.map(({ name, status, tenant, tenantId, report, day, since }) => {
      return { tenant: { id: tenantId, name: tenant }, report, group: name, status, day, since };
    });
    return { items, total: notOk, groups };
  }
}
