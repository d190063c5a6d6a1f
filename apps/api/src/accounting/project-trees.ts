import { Injectable } from '@nestjs/common';
import { catalogueCollections, type ProjectDocument } from '#projections/accounting/catalogue-documents.js';
import { CatalogueReader } from './catalogue-reader.js';
import { projectTree } from './catalogue-views.js';
import { offsetOf, type PageOf, type Paging } from './paging.js';

/** Projects as they stand in responses: with their providers and installations. */
@Injectable()
export class ProjectTrees {
  constructor(private readonly reader: CatalogueReader) {}

  async text(project: ProjectDocument): Promise<string> {
    const [text = ''] = await this.texts([project]);
    return text;
  }

  async texts(projects: readonly ProjectDocument[]): Promise<readonly string[]> {
    return (await this.reader.branches(projects)).map((branches) => JSON.stringify(projectTree(branches)));
  }

  /** Of all projects, in the order of their registration. */
  async page(paging: Paging): Promise<PageOf> {
    const { catalogue } = this.reader;
    const [total, documents] = await Promise.all([
      catalogue.count(catalogueCollections.projectsInOrder, {}),
      catalogue.range(catalogueCollections.projectsInOrder, { offset: offsetOf(paging), limit: paging.size }),
    ]);
    const projects = documents.map(({ value }) => JSON.parse(value.toString('utf8')) as ProjectDocument);
    return { content: await this.texts(projects), total };
  }
}
