import { Param } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { PersonalNames } from '#api/ops-kit/personal-names.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, optional, pageSize, repeatable, text } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { LOGGED_KINDS, NAMED_KINDS, type NamedKind, namedKind } from '#domain/operations/named-kinds.js';
import { readAcross } from '#infra/engine/projection-runner/set-aside/partitioned-view.js';
import { RECORD_NAMES } from './documentation.js';
import { suggested } from './name-search.js';
import { type NamedEntry, NamedRecords } from './named-records.js';
import { type NamedRecord, type NameOfRecord, Names } from './names.js';
import { SearchTurns } from './search-turns.js';

const MOST = 100;
const LONGEST = 400;

class NamesQuery extends membersOf({
  record: repeatable(MOST, LONGEST, {
    description: `kind and id of a record, with a colon between; topics and schemas have the id of their project and a slash before their own; kinds: ${NAMED_KINDS.join(', ')}`,
    example: ['status.tenant:6ac7d684-1f8e-4a02-a502-720e8f11e50b'],
  }),
}) {}

const MOST_SUGGESTED = 20;

class SuggestionsQuery extends membersOf({
  text: optional(text(LONGEST, { description: 'part of the name, or the id; default: the first ones by name', example: 'alp' })),
  limit: pageSize(MOST_SUGGESTED),
}) {}

const UNLISTED = ['accounting.installation', ...LOGGED_KINDS] as const;
const isListed = (kind: NamedKind): kind is Exclude<NamedKind, (typeof UNLISTED)[number]> =>
  !(UNLISTED as readonly NamedKind[]).includes(kind);

/** Kinds of records that can be selected by name. */
const SUGGESTED_KINDS = NAMED_KINDS.filter(isListed);

/** @throws Problem 400 */
const recordOf = (text: string): NamedRecord => {
  const colon = text.indexOf(':');
  const [kind, id] = [namedKind(text.slice(0, Math.max(0, colon))), text.slice(colon + 1)];
  if (kind && id !== '') return { kind, id };
  throw new Problem(400, 'the request is not as this call takes it', [
    { member: 'record', detail: `must be an id after one of ${NAMED_KINDS.map((one) => `${one}:`).join(' ')}` },
  ]);
};

/** Names in place of ids, for all displays of records (console contract 10). */
@OpsController('ops/names', 'operations')
export class NamesController {
  constructor(
    private readonly names: Names,
    private readonly named: NamedRecords,
    private readonly turns: SearchTurns,
    private readonly personal: PersonalNames,
  ) {}

  @Get('', {
    id: 'listNames',
    summary: 'Current names of records by their ids, in the order asked',
    description: 'Names of people are shown to auditors, which is recorded once a session and hour.',
    answers: { 200: RECORD_NAMES },
  })
  async list(@Call() call: OpsCall, @StrictQuery(NamesQuery) { record }: NamesQuery): Promise<Answered<typeof RECORD_NAMES>> {
    const items = await this.names.of(record.map(recordOf));
    return { items: await this.shown(call, items) };
  }

  @ApiParam({ name: 'kind', schema: { type: 'string', enum: [...SUGGESTED_KINDS] } })
  @Get(':kind', {
    id: 'suggestNames',
    summary: 'Records of a kind by a part of their name, the best first',
    description:
      'An id finds what was deleted, too. Names of people are shown to auditors, as in `/ops/names`; operators find people by their tenant.',
    answers: { 200: RECORD_NAMES },
  })
  async suggest(
    @Call() call: OpsCall,
    @Param() path: Readonly<{ kind: string }>,
    @StrictQuery(SuggestionsQuery) { text = '', limit }: SuggestionsQuery,
  ): Promise<Answered<typeof RECORD_NAMES>> {
    const kind = SUGGESTED_KINDS.find((one) => one === path.kind);
    if (!kind) throw new Problem(404, 'there are no names of this kind');
    const isShown = this.personal.isShownTo(call);
    const shown = (one: NamedEntry): string => (one.isPerson && !isShown ? nameless(one) : one.name);
    const found = await this.turns.find(call, (gone) =>
      readAcross(() => suggested(this.named.kinds[kind].all(), text, { limit, shown, gone })),
    );
    const ids = found.length === 0 && text !== '' ? [text] : found;
    const names = await this.names.of(ids.map((id) => ({ kind, id })));
    return {
      items: await this.shown(
        call,
        names.filter(({ name }) => name !== null),
      ),
    };
  }

  private async shown(call: OpsCall, items: readonly NameOfRecord[]): Promise<Answered<typeof RECORD_NAMES>['items']> {
    const isShown = this.personal.isShownTo(call);
    if (isShown && items.some(({ isPerson }) => isPerson)) await this.personal.record(call);
    return items.map(({ isPerson, name, ...rest }) => ({ ...rest, name: isPerson && !isShown ? nameless(rest) : name }));
  }
}

/** Text for a person whose name is not shown. */
const nameless = ({ place }: Readonly<{ place?: string | null | undefined }>): string => `a user of ${place ?? 'accounting'}`;
