import { answerOf } from '#api/ops-kit/answers-documentation.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import type { Answered } from '#api/shared/openapi/described.js';
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
const NOT_COUNTED = {
  tenant: { id: 'text', name: 'text' },
  report: doc(nullable('text'), 'whose groups are more than a call may read, or take too long'),
  projection: doc(nullable('text'), 'that has paused the tenant: its groups are not known'),
} as const;
const LATE = { tenant: { id: 'text', name: 'text' }, day: 'day', at: doc('text', 'when the last point arrived') } as const;
const EXAMPLE = {
  tenant: { id: '6f1c2a34-8d2e-4f3b-9a51-0c7d5e2b1f60', name: 'Alpine Grid' },
  ...{ report: 'Critical', group: 'SITE-02', status: 'CRITICAL', day: '2026-03-01', since: '2026-03-01T06:00:00Z' },
};
const PAUSED = { id: '0b0c4a43-5d0e-4a62-8f0e-6b9c6d1d7a55', name: 'Lowland Grid' };
/** Maximum number of tenants and reports that are not counted, and of late days, in an answer. */
const MOST_LISTED = 100;

const GROUPS = answerOf(
  'the groups that are not OK',
  'GroupsThatAreNotOk',
  {
    items: [GROUP],
    total: doc('count', 'groups that are not OK'),
    groups: doc(nullable('count'), 'all groups that are known; null while they are first looked at'),
    notCounted: doc([NOT_COUNTED], 'groups whose status is not known, 100 at most'),
    late: doc([LATE], 'of the last 7 days those of which points arrived more than an hour after they had ended, 100 at most'),
  },
  {
    ...{ items: [EXAMPLE], total: 1, groups: 40, notCounted: [{ tenant: PAUSED, report: null, projection: 'status.results' }] },
    late: [{ tenant: EXAMPLE.tenant, day: '2026-02-28', at: '2026-03-01T07:30:00Z' }],
  },
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
    const { listed = [], notOk = 0, groups = null, notCounted = [], late = [] } = (await this.groups.newest()) ?? {};
    const items = listed.map(({ name, status, tenant, tenantId, report, day, since }) => {
      return { tenant: { id: tenantId, name: tenant }, report, group: name, status, day, since };
    });
    return { items, total: notOk, groups, notCounted: listedOf(notCounted), late: listedOf(late) };
  }
}

const listedOf = <Row>(rows: readonly (Row & Readonly<{ tenant: string; tenantId: string }>)[]) =>
  rows.slice(0, MOST_LISTED).map(({ tenant, tenantId, ...row }) => ({ ...row, tenant: { id: tenantId, name: tenant } }));
