import { Injectable } from '@nestjs/common';
import type { InstallationContent } from '#projections/accounting/catalogue/queries.js';
import { DefinitionQueries, ownDefinition } from '#projections/accounting/definitions/queries.js';
import { type InstallationIdName, installationView } from './catalogue-views.js';

/** Installations as they stand in answers. */
@Injectable()
export class InstallationTexts {
  constructor(private readonly definitions: DefinitionQueries) {}

  async ofOne(document: InstallationContent): Promise<string> {
    const [text = ''] = await this.ofSeveral([document]);
    return text;
  }

  async ofSeveral(documents: readonly InstallationContent[], idName?: InstallationIdName): Promise<readonly string[]> {
    const definitions = await this.definitions.definitionsById(documents.flatMap(({ unit_of_access }) => unit_of_access ?? []));
    return documents.map((document) => JSON.stringify(installationView(document, definitions.get(document.unit_of_access ?? ''), idName)));
  }

  /** The answer to the creation of an installation also names the creator of its unit of access. */
  async ofCreated(created: InstallationContent): Promise<string> {
    const [definition] = await this.definitions.definitions(created.unit_of_access === null ? [] : [created.unit_of_access]);
    return JSON.stringify(installationView(created, definition && ownDefinition(definition)));
  }
}
