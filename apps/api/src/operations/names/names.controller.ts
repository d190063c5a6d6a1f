import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { PersonalNames } from '#api/ops-kit/personal-names.js';
import { Problem } from '#api/ops-kit/problem.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { IsRepeatable } from '#api/ops-kit/strict-members.js';
import { RECORD_NAMES } from './documentation.js';
import { NAMED_KINDS, type Named, type NamedKind, type NamedRecord, Names } from './names.js';

const MOST = 100;
const LONGEST = 400;

class NamesQuery {
  @IsRepeatable(MOST, LONGEST, {
    description: `kind and id of a record, with a colon between; kinds: ${NAMED_KINDS.join(', ')}`,
    example: ['status.tenant:6ac7d684-1f8e-4a02-a502-720e8f11e50b'],
  })
  record!: readonly string[];
}

const isKind = (text: string): text is NamedKind => (NAMED_KINDS as readonly string[]).includes(text);

/** @throws Problem 400 */
const recordOf = (text: string): NamedRecord => {
  const colon = text.indexOf(':');
  const [kind, id] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)];
  if (isKind(kind) && id !== '') return { kind, id };
  throw new Problem(400, 'the request is not as this call takes it', [
    { member: 'record', detail: `must be an id after one of ${NAMED_KINDS.map((one) => `${one}:`).join(' ')}` },
  ]);
};

/** Names in place of ids, for everything that shows records (console contract 10). */
@OpsController('ops/names', 'operations')
export class NamesController {
  constructor(
    private readonly names: Names,
    private readonly personal: PersonalNames,
  ) {}

  @Get('', {
    id: 'listNames',
    summary: 'Current names of records by their ids, in the order asked',
    description: 'Names of people are shown to auditors, which is recorded once a session and hour.',
    answers: { 200: RECORD_NAMES },
  })
  async list(@Call() call: OpsCall, @StrictQuery(NamesQuery) { record }: NamesQuery): Promise<object> {
    const items = await this.names.of(record.map(recordOf));
    return { items: await this.shown(call, items) };
  }

  private async shown(call: OpsCall, items: readonly Named[]): Promise<readonly object[]> {
    const isShown = this.personal.isShownTo(call);
    if (isShown && items.some(({ isPerson }) => isPerson)) await this.personal.record(call);
    return items.map(({ isPerson, name, ...rest }) => ({ ...rest, name: isPerson && !isShown ? nameless(rest) : name }));
  }
}

/** A person whose name is not shown. */
const nameless = ({ place }: Pick<Named, 'place'>): string => `a user of ${place ?? 'accounting'}`;
