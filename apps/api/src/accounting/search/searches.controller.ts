import { searchPage } from '#api/accounting/answers.js';
import { present } from '#api/accounting/bodies.js';
import type { AccountingCaller } from '#api/accounting/caller.js';
import { InstallationScopes } from '#api/accounting/catalogue/installation-scopes.js';
import { InstallationTexts } from '#api/accounting/catalogue/installation-texts.js';
import * as errors from '#api/accounting/errors.js';
import { MetricLists } from '#api/accounting/metrics/metric-lists.js';
import { lists } from '#api/accounting/openapi/envelopes.js';
import { type AccountingCall, Call, GivenLargeBody } from '#api/accounting/parameters.js';
import { READERS, requireOperations, requireSystem } from '#api/accounting/permissions.js';
import { ProjectTrees } from '#api/accounting/projects/project-trees.js';
import { PAGES, sizeOfPage } from '#api/accounting/queries.js';
import { AccountingController, Post } from '#api/accounting/route.js';
import { commaSeparated } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import type { Answer } from '#api/shared/http/answer.js';
import type { JsonTree } from '#api/shared/json/json-tree.js';
import { CatalogueLists } from '#projections/accounting/catalogue/lists.js';
import type { InstallationDocument, ProjectDocument, ProviderDocument } from '#projections/accounting/catalogue/queries.js';
import { FOUND_INSTALLATION, LISTED_METRIC, METRIC_DEFINITION, PROJECT, PROVIDER } from '#projections/accounting/components.js';
import { DefinitionQueries, type OwnDefinitionDocument } from '#projections/accounting/definitions/queries.js';
import * as examples from '#projections/accounting/examples.js';
import { MetricSearch } from './metric-search.js';
import type { Pace } from './pace.js';
import { type Fields, type Search, searchInSlices } from './search.js';
import { searchBody } from './search-body.js';
import { definitionFields, installationFields, metricFields, projectFields, providerFields } from './search-fields.js';
import { select } from './search-pages.js';

/** One kind of search. */
type Searched<T> = Readonly<{
  fields: Fields<T>;
  /** Records that the caller may see, in the order of the answer, in batches. */
  records: (search: Search<T>, pace: Pace) => AsyncIterable<readonly T[]> | Promise<AsyncIterable<readonly T[]>>;
  /** Text of the records in the answer, separated by commas. */
  content: (found: readonly T[]) => Pieces;
  /** @throws AccountingError 403. Default: every caller may search. */
  permit?: (caller: AccountingCaller) => void;
  /** Default 100. */
  largestSize?: number;
}>;

/** Maximum size of a page of metrics. */
const MOST_METRICS = 1_000;

/** Records that are converted to text together; each may be long. */
const AT_ONCE = 50;

/** Text of records in the answer, separated by commas. */
const inSteps = <T>(found: readonly T[], texts: (some: readonly T[]) => readonly string[] | Promise<readonly string[]>): Pieces =>
  commaSeparated(
    (async function* () {
      for (let start = 0; start < found.length; start += AT_ONCE) yield await texts(found.slice(start, start + AT_ONCE));
    })(),
  );

/** Omits the creator. */
const providerText = ({ id, name, website, abbreviation, logo, external_id }: ProviderDocument): string =>
  JSON.stringify({ id, name, website, abbreviation, logo, external_id });

/** Common declarations of all searches. */
const SEARCH = {
  limit: 'search',
  query: PAGES,
  repeatable: false,
  body: searchBody,
  errors: [errors.badSearch('no such operator')],
} as const;

/** Searches: a body of queries and filters, and a page of results (accounting contract 5). */
@AccountingController('accounting-system', 'accounting: searches')
export class SearchesController {
  constructor(
    private readonly catalogue: CatalogueLists,
    private readonly scopes: InstallationScopes,
    private readonly texts: InstallationTexts,
    private readonly definitionQueries: DefinitionQueries,
    private readonly trees: ProjectTrees,
    private readonly lists: MetricLists,
    private readonly metricSearch: MetricSearch,
  ) {}

  @Post('installations/search', {
    id: 'searchInstallations',
    ...SEARCH,
    summary: 'Searches the installations that the caller may read',
    example: {
      type: 'filter',
      operator: 'OR',
      criteria: [
        { type: 'query', field: 'installation', values: 'SITE-A', operand: 'eq' },
        { type: 'query', field: 'organisation', values: 'site-b', operand: 'eq' },
      ],
    },
    answers: lists(FOUND_INSTALLATION),
  })
  async installations(@Call() call: AccountingCall, @GivenLargeBody(searchBody) body: JsonTree | undefined): Promise<Answer> {
    return this.search<InstallationDocument>(call, body, {
      fields: installationFields,
      records: async (_search, pace) => this.catalogue.installationsIn(await this.scopes.readableBy(call.caller, pace)),
      content: (found) => this.texts.ofSeveral(found, 'installation_id'),
    });
  }

  @Post('providers/search', {
    id: 'searchProviders',
    ...SEARCH,
    summary: 'Searches all providers',
    example: { type: 'query', field: 'name', values: 'Site A', operand: 'eq' },
    answers: lists(PROVIDER, examples.FOUND_PROVIDER),
  })
  async providers(@Call() call: AccountingCall, @GivenLargeBody(searchBody) body: JsonTree | undefined): Promise<Answer> {
    return this.search<ProviderDocument>(call, body, {
      fields: providerFields,
      records: () => this.catalogue.allProviders(),
      content: (found) => inSteps(found, (some) => some.map(providerText)),
      permit: (caller) => requireOperations(caller, READERS),
    });
  }

  @Post('metric-definitions/search', {
    id: 'searchMetricDefinitions',
    ...SEARCH,
    summary: 'Searches all metric definitions',
    example: { type: 'query', field: 'metric_name', values: 'storage' },
    answers: lists(METRIC_DEFINITION),
  })
  async definitions(@Call() call: AccountingCall, @GivenLargeBody(searchBody) body: JsonTree | undefined): Promise<Answer> {
    return this.search<OwnDefinitionDocument>(call, body, {
      fields: definitionFields,
      records: () => this.definitionQueries.allDefinitions(),
      content: (found) => inSteps(found, (some) => some.map((document) => JSON.stringify(document))),
      permit: (caller) => requireOperations(caller, READERS),
    });
  }

  @Post('projects/search', {
    id: 'searchAccountingProjects',
    ...SEARCH,
    summary: 'Searches all projects',
    example: { type: 'query', field: 'acronym', values: 'GRID' },
    answers: lists(PROJECT),
  })
  async projects(@Call() call: AccountingCall, @GivenLargeBody(searchBody) body: JsonTree | undefined): Promise<Answer> {
    return this.search<ProjectDocument>(call, body, {
      fields: projectFields,
      records: () => this.catalogue.allProjects(),
      content: (found) => this.trees.content(found),
      permit: requireSystem,
    });
  }

  @Post('metrics/search', {
    id: 'searchMetrics',
    ...SEARCH,
    summary: 'Searches the metrics of the installations that the caller may read',
    query: { ...PAGES, size: sizeOfPage(MOST_METRICS) },
    example: { type: 'query', field: 'time_period_start', values: '2024-03-01T00:00:00Z', operand: 'gte' },
    answers: lists(LISTED_METRIC),
  })
  async metrics(@Call() call: AccountingCall, @GivenLargeBody(searchBody) body: JsonTree | undefined): Promise<Answer> {
    return this.search(call, body, {
      fields: metricFields,
      records: async (search, pace) => this.metricSearch.candidates(await this.scopes.readableBy(call.caller, pace), search, pace),
      content: (found) => inSteps(found, (some) => this.lists.texts(some)),
      largestSize: MOST_METRICS,
    });
  }

  /** Checks permission, page and size, and the structure of the body, in this order. */
  private async search<T>(
    { caller, pageOf, pace }: AccountingCall,
    body: JsonTree | undefined,
    { fields, records, content, permit, largestSize }: Searched<T>,
  ): Promise<Answer> {
    permit?.(caller);
    const asked = pageOf(largestSize);
    const search = await searchInSlices(present(body), fields, pace.slice);
    const { found, total } = await select(await records(search, pace), search, asked, pace);
    return searchPage(asked, { content: content(found), count: found.length, total });
  }
}
