import { SearchTurns } from '#api/operations/names/search-turns.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { PersonalNames } from '#api/ops-kit/personal-names.js';
import { Get, OpsController } from '#api/ops-kit/route.js';
import { StrictQuery } from '#api/ops-kit/strict-input.js';
import { membersOf, text } from '#api/ops-kit/strict-members.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { PLACES } from './documentation.js';
import { PlaceSearch } from './places.js';

const MOST = 20;
const LONGEST = 200;

class PlacesQuery extends membersOf({
  text: text(LONGEST, {
    description:
      'part of a name, the index of an event, its position if there is no such index, or the id of an event, a request, a conversation or any record',
    example: 'workers',
  }),
}) {}

/** Named things with a page in the console (console contract 9). */
@OpsController('ops/places', 'operations')
export class PlacesController {
  constructor(
    private readonly search: PlaceSearch,
    private readonly turns: SearchTurns,
    private readonly personal: PersonalNames,
  ) {}

  @Get('', {
    id: 'findPlaces',
    summary:
      'Records, endpoint groups, hosts, events, requests and conversations that have a page in the console, by a part of their name, the best first',
    description:
      'At most 20. By name, users and projects of accounting are for auditors; names of people among them are recorded once a session and hour, as in `/ops/names`.',
    answers: { 200: PLACES },
  })
  async find(@Call() call: OpsCall, @StrictQuery(PlacesQuery) { text }: PlacesQuery): Promise<Answered<typeof PLACES>> {
    const found = await this.turns.find(call, (gone) =>
      this.search.find(text, { isAuditor: this.personal.isShownTo(call), limit: MOST, gone }),
    );
    if (found.some(({ isPerson }) => isPerson)) await this.personal.record(call);
    return { items: found.map(({ isPerson: _, ...place }) => place) };
  }
}
