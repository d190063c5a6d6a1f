import { Injectable } from '@nestjs/common';
import { CatalogueReader } from '#api/accounting/catalogue/catalogue-reader.js';
import { type LongPage, offsetOf, type Paging } from '#api/accounting/paging.js';
import { joined, mapped } from '#api/accounting/text-lists.js';
import type { Pieces } from '#api/shared/answers/pieces.js';
import { catalogueCollections, type ProjectDocument } from '#projections/accounting/catalogue/catalogue-documents.js';
import { branchesOfProjects } from './branches.js';
import { projectTree } from './tree-views.js';

/** Projects as they stand in responses: with their providers and installations. */
@Injectable()
export class ProjectTrees {
  constructor(private readonly reader: CatalogueReader) {}

  /** One after the other, with commas between them. */
  content(projects: readonly ProjectDocument[]): Pieces {
    return joined(mapped(branchesOfProjects(this.reader, projects), projectTree));
  }

  /** Of all projects, in the order of their registration. */
  async page(paging: Paging): Promise<LongPage> {
    const { projects, total } = await this.projects(paging);
    return { content: this.content(projects), count: projects.length, total };
  }

  /** The projects of a page of all of them, and how many there are in all. */
  async projects(paging: Paging): Promise<Readonly<{ projects: readonly ProjectDocument[]; total: number }>> {
    const { catalogue } = this.reader;
    const [total, documents] = await Promise.all([
      catalogue.count(catalogueCollections.projectsInOrder, {}),
      catalogue.range(catalogueCollections.projectsInOrder, { offset: offsetOf(paging), limit: paging.size }),
    ]);
    return { projects: documents.map(({ value }) => JSON.parse(value.toString('utf8')) as ProjectDocument), total };
  }
}
