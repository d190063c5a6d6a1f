import { Injectable } from '@nestjs/common';
import { commaSeparated, openObject } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { CapacityQueries } from '#projections/accounting/capacities/queries.js';
import type { InstallationContent } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries, ownDefinition } from '#projections/accounting/definitions/queries.js';
import { type InstallationIdName, installationView } from './catalogue-views.js';

/** Installations whose capacities are read together: at the maximum number, the capacities of one take about 200 kB. */
const AT_ONCE = 10;

/** `capacities`: JSON list. */
const withCapacities = (view: object, capacities: Buffer | string): string => `${openObject(view)},"capacities":${capacities}}`;

/** Installations in answers, with their capacities (accounting contract 3.0). */
@Injectable()
export class InstallationTexts {
  constructor(
    private readonly definitions: DefinitionQueries,
    private readonly capacities: CapacityQueries,
  ) {}

  async ofOne(document: InstallationContent): Promise<string> {
    const [text = ''] = await this.together([document]);
    return text;
  }

  /** Any number of installations, separated by commas and read in batches. */
  ofSeveral(documents: readonly InstallationContent[], idName?: InstallationIdName): Pieces {
    return commaSeparated(this.inSteps(documents, idName));
  }

  /** The answer to the creation of an installation. It also has the creator of its unit of access. A new installation has no capacities. */
  async ofCreated(created: InstallationContent): Promise<string> {
    const [definition] = await this.definitions.definitions(created.unit_of_access === null ? [] : [created.unit_of_access]);
    return withCapacities(installationView(created, definition && ownDefinition(definition)), '[]');
  }

  private async *inSteps(documents: readonly InstallationContent[], idName?: InstallationIdName): AsyncGenerator<readonly string[]> {
    for (let start = 0; start < documents.length; start += AT_ONCE)
      yield await this.together(documents.slice(start, start + AT_ONCE), idName);
  }

  private async together(documents: readonly InstallationContent[], idName?: InstallationIdName): Promise<readonly string[]> {
    const [definitions, capacities] = await Promise.all([
      this.definitions.definitionsById(documents.flatMap(({ unit_of_access }) => unit_of_access ?? [])),
      this.capacities.listTexts(documents.map(({ project, id }) => ({ projectId: project, installationId: id }))),
    ]);
    return documents.map((document, index) =>
      withCapacities(installationView(document, definitions.get(document.unit_of_access ?? ''), idName), capacities[index] ?? '[]'),
    );
  }
}
